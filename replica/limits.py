"""How large things may be, each with its reason. Checked where bytes become types and where people type.

Both sides of a link must agree on these, so lowering one is a change of protocol.
"""

from typing import Final

# A long chapter; ten times the longest note in any corpus we tried. Larger texts are documents: split them.
TEXT_BYTES_MAX: Final = 1 << 20
# Text plus its fields and salt, or an edit that replaces a whole text (old and new words together).
PAYLOAD_BYTES_MAX: Final = 4 << 20
# A person types these; an index holds them.
FIELD_STRING_BYTES_MAX: Final = 16 << 10
TAGS_MAX: Final = 64
META_ENTRIES_MAX: Final = 256
# What shows of one memory when devices that were apart each filled it: four of them. What is beyond waits until
# something is taken off; every op still says what it says.
LABELS_SHOWN_MAX: Final = 4 * TAGS_MAX
ENTRIES_SHOWN_MAX: Final = 4 * META_ENTRIES_MAX
# Fields of one memory; generous beside the two dozen that we know, small beside a flood.
FIELDS_MAX: Final = 512
# Ids named by one op (a class of duplicates, a cluster, a slot's claims).
NAMES_MAX: Final = 10_000
# Members of a proposal, the lowest ids of those that it names; thinking proposes 20. Each is a row and an entry of an
# index, and is looked at on arrival: a hundred ops of ten thousand took ten seconds.
MEMBERS_SHOWN_MAX: Final = 64
# A commit is at most one frame and is applied atomically, so it bounds the longest pause of a reader.
COMMIT_OPS_MAX: Final = 5_000
# A commit and a little more must fit one frame of a link (16 MiB), even where it does not compress.
COMMIT_PAYLOAD_BYTES_MAX: Final = 8 << 20
# Frames of about this many ops sync 100,000 ops fastest (frames of 2,000 took 1.2 to 1.7 times as long).
FRAME_OPS_TARGET: Final = 5_000
# Bytes of payload after which a frame ends; what one credit costs a receiver in memory, about.
FRAME_PAYLOAD_BYTES_TARGET: Final = 4 << 20
# Hard bounds for a decoder: one full commit (or a relay's whole batch) of payloads, before and after compression.
FRAME_OPS_MAX: Final = 20_000
# Less than a link carries at once (16 MiB), so that whoever took a frame can pass it on, however badly it packs.
FRAME_BYTES_MAX: Final = 15 << 20
# How sure a link between two tellings can be: a per cent.
SURENESS_MAX: Final = 100
# Who can tell whether two claims are of one thing: a list of words, a model, an agent, a person.
JUDGES_MAX: Final = 4
# Signals that one feedback teaches: several times what any ranking here has.
SIGNALS_MAX: Final = 256
# A place as it travels, at most: device, incarnation, a seq of nine bytes, eight of the id, and what msgpack adds.
PLACE_BYTES: Final = 64
# How many heads one op of ours names. A person owns tens of devices, each with a few incarnations; whoever has merged
# more since their last op says so in several, which say nothing else.
SEEN_SAID_MAX: Final = 5_000
# Chains that a device takes in all, whoever began them. What names them all (a frontier) fits one frame of a link.
CHAINS_MAX: Final = 100_000
# Chains of each device that are taken beyond that, so that whoever fills it up keeps no newcomer out: of ten thousand
# members they are so few that a frontier still fits.
CHAINS_FIRST: Final = 4
# Chains of one device that are taken from itself. A device begins one when it is new, and whenever it is restored.
CHAINS_OF_ONE_MAX: Final = 1_000
# An op that begins a chain, and says that its writer knew this many of its own device's, is no honest program's.
CHAINS_OF_ONE_SEEN_MAX: Final = 5_000
# What may be read: twice what can be said, since a version before said all heads at once, and held any number.
HEADS_MAX: Final = 2 * CHAINS_MAX
SEEN_MAX: Final = HEADS_MAX
# Refusals that are told one by one; the rest of a frame is refused likewise, and asked for again where that helps.
REFUSALS_SAID_MAX: Final = 256
REFUSALS_MAX: Final = FRAME_OPS_MAX
# Recalls of one memory on one origin: a million a second for eight years; the sum over every origin that a
# group can have still fits the 64 bits in which a store counts.
ACCESSES_MAX: Final = 1 << 48
# A hundred thousand memories are some 40 MB before compression; a receiver must hold what it merges.
SNAPSHOT_BYTES_MAX: Final = 1 << 30
# A snapshot may be so many times as large as it was packed: words pack to a fifth, ids not at all. Whoever wants a
# gigabyte of somebody's memory has to send 32 MB for it, where zeros would have been some hundred kilobytes.
SNAPSHOT_RATIO_MAX: Final = 32
# Up to here it may pack as well as it likes: a frame of ops may cost as much.
SNAPSHOT_BYTES_FREE: Final = FRAME_BYTES_MAX
