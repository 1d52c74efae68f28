"""Have the machine start the daemon: what each kind of machine wants to be told, and telling it."""
