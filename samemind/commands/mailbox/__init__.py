"""The commands for mailboxes: places that are always there, where devices leave each other news."""
