"""Notes for people: which branch was taken, and why. ``print`` writes them as well."""

from __future__ import annotations

from onceward_guest.host import host


def note(text: str) -> None:
    """Add a line to the work's evidence. Lines past the host's limit are dropped, and the evidence says so."""
    host("adding a note").note(text)
