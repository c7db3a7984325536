"""What the model is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lead import Lead


@dataclass(frozen=True)
class Triage:
    type: Literal["new-business", "support", "spam", "other"]
    priority: Literal["low", "normal", "high"]
    summary: str
    reply: str
    confidence: float


def asked(lead: Lead) -> dict[str, str | None]:
    """The message's id and the address are left out: the answer does not depend on them."""
    return {"channel": lead.channel, "name": lead.contact.name, "text": lead.text}


#: The answer's shape for the host, as `plugins/lead-classifier` has it: equal questions share an answer, whichever asks.
SCHEMA: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["type", "priority", "summary", "reply", "confidence"],
    "properties": {
        "type": {"enum": ["new-business", "support", "spam", "other"]},
        "priority": {"enum": ["low", "normal", "high"]},
        "summary": {"type": "string"},
        "reply": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
}
