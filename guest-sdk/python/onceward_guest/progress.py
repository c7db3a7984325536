"""How far a handoff has come, for people: forward only; and the cursor of a batch."""

from __future__ import annotations

from onceward_guest import wit
from onceward_guest.failure import HostError
from onceward_guest.host import host
from onceward_guest.journal import note


class ProgressError(HostError):
    """A handoff could not be moved to a stage: another attempt finds the same stages, so a person looks."""

    PROBLEMS = {
        "unknown-stage": ("review", "there is no such stage ({reason}); configure it or use another"),
        "backwards": ("review", "the handoff has reached `{reason}`; stages only go forward"),
    }


def advance(stage: str) -> None:
    """Move the handoff to a stage. The stage it is at already changes nothing."""
    doing = f"advancing to `{stage}`"
    try:
        host(doing).advance(stage)
    except wit.Refused as error:
        raise ProgressError(error.kind, doing, error.reason) from None


def advance_or_note(stage: str) -> None:
    """Move the handoff to a stage; where that can't be, write a note and go on: a mark is no reason to lose a lead."""
    try:
        advance(stage)
    except ProgressError as error:
        note(str(error))


def load_cursor() -> str | None:
    """The cursor that the last ``continue_from`` of this work gave; none in its first run."""
    return host("loading the cursor").load_cursor()
