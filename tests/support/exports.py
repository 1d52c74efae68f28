"""What other programs export: the least of each format that has all of its turns."""

from typing import Any, Final

CHATGPT: Final[list[Any]] = [
    {
        "title": "Boats",
        "create_time": 1_700_000_000.5,
        "conversation_id": "c1",
        "current_node": "d",
        "mapping": {
            "root": {"message": None, "parent": None, "children": ["a"]},
            "a": {
                "message": {
                    "id": "m1",
                    "author": {"role": "user"},
                    "create_time": 1_700_000_001.25,
                    "content": {"content_type": "text", "parts": ["What is a yawl?"]},
                },
                "parent": "root",
                "children": ["b", "d"],
            },
            "b": {
                "message": {
                    "id": "m2",
                    "author": {"role": "assistant"},
                    "content": {"parts": ["An answer that was regenerated."]},
                },
                "parent": "a",
                "children": [],
            },
            "d": {
                "message": {
                    "id": "m3",
                    "author": {"role": "assistant"},
                    "create_time": None,
                    "content": {"parts": ["A boat with two masts.", {"asset_pointer": "file"}]},
                },
                "parent": "a",
                "children": [],
            },
        },
    }
]
CLAUDE: Final[list[Any]] = [
    {
        "uuid": "u1",
        "name": "Boats",
        "created_at": "2024-01-02T03:04:05.678901Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "What is a yawl?",
                "created_at": "2024-01-02T03:04:05Z",
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "text", "text": "A boat."}, {"type": "tool_use"}],
                "created_at": "2024-01-02T03:04:09+00:00",
            },
        ],
    }
]
MEM0: Final[dict[str, Any]] = {
    "results": [
        {
            "id": "x1",
            "memory": "Likes sushi",
            "user_id": "ann",
            "metadata": {"room": "kitchen", "deep": {"a": 1}},
            "categories": ["food"],
            "created_at": "2024-07-26T12:00:00-07:00",
            "updated_at": None,
        }
    ]
}
MCP_MEMORY: Final[list[Any]] = [
    {
        "type": "entity",
        "name": "Ann_Stone",
        "entityType": "person",
        "observations": ["Speaks Spanish", "Ann_Stone sails"],
    },
    {"type": "relation", "from": "Ann_Stone", "to": "Acme", "relationType": "works_at"},
]
LOCOMO: Final[list[Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a yawl."},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "How many masts has it?",
                    "img_url": ["a.png"],
                    "blip_caption": "a boat",
                    "query": "yawl",
                },
            ],
        },
    }
]
NOTE: Final = """---
tags: [boats, "sea"]
---
Intro with #first tag.

# Yawls
Two masts, see [[Ketch|ketches]] and [[Ketch]].
```
# not a heading
```
## Rig
The mizzen is small. C# is no tag.
"""
