"""What must hold in every world, one property a file.

A checker is told of every op that enters a log, of audits on the way, and of the end, when faults are off and devices
have said all they have to say. It reports; it never mends. For each there is a planted bug (`simulations.bugs`) that it
catches.
"""

from simulations.checkers.authorship import Authorship
from simulations.checkers.bases import Bases
from simulations.checkers.bounded_work import BoundedWork
from simulations.checkers.causality import Causality
from simulations.checkers.change_of_mind import ChangeOfMind
from simulations.checkers.cognition import OneRecord, OneSummary, TriggerLattice
from simulations.checkers.convergence import Convergence
from simulations.checkers.durability import Durability
from simulations.checkers.erasure import Erasure
from simulations.checkers.evidence import Evidence
from simulations.checkers.labels import Labels
from simulations.checkers.mailbox import Mailbox
from simulations.checkers.no_wedge import NoWedge
from simulations.checkers.politics import Politics
from simulations.checkers.quiet import Quiet
from simulations.checkers.refold import Refold
from simulations.checkers.resurrection import Resurrection
from simulations.checkers.statuses import Statuses
from simulations.checkers.tellings import Tellings
from simulations.household import Checker

__all__ = [
    "Authorship",
    "Bases",
    "BoundedWork",
    "Causality",
    "ChangeOfMind",
    "Convergence",
    "Durability",
    "Erasure",
    "Evidence",
    "Labels",
    "Mailbox",
    "NoWedge",
    "OneRecord",
    "OneSummary",
    "Politics",
    "Quiet",
    "Refold",
    "Resurrection",
    "Statuses",
    "Tellings",
    "TriggerLattice",
    "all_checkers",
]


def all_checkers() -> list[Checker]:
    """Return a fresh set of every checker."""
    return [
        Authorship(),
        Causality(),
        Durability(),
        Resurrection(),
        Erasure(),
        Bases(),
        Evidence(),
        Politics(),
        Statuses(),
        Convergence(),
        Labels(),
        ChangeOfMind(),
        OneRecord(),
        OneSummary(),
        TriggerLattice(),
        Tellings(),
        Refold(),
        BoundedWork(),
        Quiet(),
        NoWedge(),
        Mailbox(),  # last, for it goes on with the world
    ]
