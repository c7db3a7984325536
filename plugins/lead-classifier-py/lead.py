"""The lead that the steps of the lead flow hand on, as ``plugins/lead`` says it.

Only ``source`` and ``message_id`` are required, since they make the lead's identity. Members that are not named here are not handed on.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Contact:
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    country: str | None = None


@dataclass(frozen=True)
class Attachment:
    name: str
    type: str | None = None
    size: int | None = None
    sha256: str | None = None
    address: str | None = None


@dataclass(frozen=True)
class Lead:
    source: str
    message_id: str
    sent_at: str | None = None
    channel: str | None = None
    conversation: str | None = None
    contact: Contact = field(default_factory=Contact)
    text: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    enriched: bool | None = None
    type: str | None = None
    priority: str | None = None
    summary: str | None = None
    reply: str | None = None
    confidence: float | None = None


def compact(lead: Lead) -> dict[str, object]:
    """What is written of it: nothing of what is absent, and no empty list."""
    return {name: value for name, value in vars(lead).items() if value is not None and value != []}
