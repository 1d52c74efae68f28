"""The methods of `samemind.library.Mind`, a file for each kind of thing that is asked.

Each is the verb of the same name: it makes its arguments what the verb takes, asks, and returns what came back. All are
spelled out, since editors and type checkers know what is spelled out and nothing else.
"""
