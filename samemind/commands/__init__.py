"""One command a file: what it takes and returns, what it does, and how that is shown to people.

A file is light, since each call loads it: whatever a command needs to be done is imported by its `run`.
"""

from collections.abc import Mapping
from typing import Final

# The families, which are packages here, in the order in which they are listed, and what a list of them calls each.
TITLES: Final[Mapping[str, str]] = {
    "memories": "Memories",
    "answers": "Prompts, and explanations",
    "past": "The past",
    "graph": "Knowledge graph",
    "contradictions": "Contradictions",
    "ingest": "Queue and quarantine",
    "portable": "Import and export",
    "thinking": "Thinking",
    "keeping": "Triggers, goals, profile",
    "carry": "Sync by file",
    "mailbox": "Sync by mailbox",
    "group": "Other devices",
    "panel": "Panel and phone",
    "service": "Service",
    "keeping_safe": "Backup and encryption",
    "models": "Models of your own",
    "agents": "Agents",
    "device": "This device",
}
