"""One command a file: what it takes and returns, what it does, and how that is shown to people.

A file is light, since each call loads it: whatever a command needs to be done is imported by its `run`.
"""

from collections.abc import Mapping
from typing import Final

# The families, which are packages here, in the order in which they are listed, and what a list of them calls each.
TITLES: Final[Mapping[str, str]] = {
    "memories": "Memories",
    "answers": "For prompts, and why",
    "past": "The past",
    "graph": "Knowledge graph",
    "contradictions": "What cannot all be true",
    "ingest": "What is still to be taken in",
    "portable": "In and out",
    "thinking": "Thinking",
    "keeping": "What comes up by itself, and who you are",
    "carry": "By file, to other devices",
    "mailbox": "Through a place that is always there",
    "group": "Other devices",
    "panel": "In a browser",
    "service": "As a service",
    "keeping_safe": "Backups, and encryption",
    "models": "Models of your own",
    "agents": "Agents",
    "device": "This device",
}
