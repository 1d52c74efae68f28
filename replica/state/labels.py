"""Labels, an add-wins set, and entries of `meta`, each a register of its own: what ops do to them, and what shows.

A label is put on by an op and stays until an op takes it off whose author had seen that. So of two devices that label
a memory at the same time both are heard, and a label that is put on while another device takes it off stays. Each
label is a register of whether it is on; it shows while any of the unseen writes says so.

Labels and entries also come with the add of a memory, and from version 0.1.0, which wrote both whole, as one register.
A base that it made holds that register and no more, so it is left as it is, and put together only when it is shown:
what several of its writes say that did not know of each other counts together. What is taken off of an add or of such
a write is kept beside it. Such a write takes off nothing that its author could not show: no label that an op put on by
itself, and no entry that has a register of its own.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from replica.limits import ENTRIES_SHOWN_MAX, LABELS_SHOWN_MAX
from replica.state.register import Dot, Register, winner

TAGS: Final = "tags"
META: Final = "meta"
ENTRY: Final = "meta."
"""What the name of an entry's own register begins with."""

Labels = dict[str, Register]
"""For each label that an op named, the unseen writes of whether it is on."""
Untagged = dict[Dot, tuple[str, ...]]
"""The dot of an add, or of a whole write of the labels, with those of its labels that were taken off since."""


def take_off(untagged: Untagged, dot: Dot, labels: Iterable[str]) -> None:
    """Take these labels off of an add or a whole write; some of them may be off already."""
    untagged[dot] = tuple(sorted({*labels, *untagged.get(dot, ())}))


def left_of(untagged: Untagged, living: Collection[Dot]) -> Untagged:
    """Return what was taken off of the adds and whole writes that are left."""
    return {dot: labels for dot, labels in untagged.items() if dot in living}


def shown_labels(labels: Labels, told: Iterable[tuple[int, Iterable[str]]]) -> list[str]:
    """Return the labels that show, sorted: those that are on, and those that were `told` whole, with stamps.

    Of more than may show, the ones that were there first: a flood of labels hides none that came before it.
    """
    stamps = [(hlc, label) for label, heads in labels.items() for hlc, is_on in heads.values() if is_on]
    stamps += [(hlc, label) for hlc, held in told for label in held]
    since: dict[str, int] = {}
    for hlc, label in stamps:
        since[label] = min(since.get(label, hlc), hlc)
    if len(since) > LABELS_SHOWN_MAX:
        return sorted(sorted(since, key=lambda label: (since[label], label))[:LABELS_SHOWN_MAX])
    return sorted(since)


def shown_entries(
    told: Iterable[tuple[int, bytes, Mapping[str, Any]]], own: Mapping[str, Register]
) -> dict[str, Any]:
    """Return the entries that show: of what was told whole the latest of each, and over them those with a register."""
    found: dict[str, tuple[int, bytes, Any]] = {}
    for hlc, id8, entries in told:
        for key, value in entries.items():
            if key not in found or found[key][:2] < (hlc, id8):
                found[key] = hlc, id8, value
    for key, register in own.items():
        dot, hlc, value = winner(register)
        if value is None:
            found.pop(key, None)
        else:
            found[key] = hlc, dot.id8, value
    keys = sorted(found)
    if len(keys) > ENTRIES_SHOWN_MAX:
        keys = sorted(sorted(keys, key=lambda key: (found[key][0], key))[:ENTRIES_SHOWN_MAX])
    return {key: found[key][2] for key in keys}


def is_entry(name: str, value: object) -> bool:
    """Say whether a register of this name and value is that of an entry; none of them can hold lists, maps or bytes."""
    return name.startswith(ENTRY) and not isinstance(value, list | dict | bytes)
