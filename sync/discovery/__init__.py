"""Where peers may be listening right now: hints, never proof of who they are."""
