"""What a step declares: identity, window, response. The host checks it when it loads the step."""

from __future__ import annotations

from onceward_guest.wit import Identity, Window

#: The event's own key: its source and provider message id; where the provider has no id, its source and original time.
EVENT_KEY = Identity("event-key")

#: The whole payload in canonical form (RFC 8785), without its volatile fields.
CONTENT = Identity("content")

#: Never forgotten.
FOR_EVER = Window("for-ever")

_SECONDS_PER_DAY = 86_400


def business_key(*fields: str) -> Identity:
    """The values of these fields of the payload, as JSON Pointers (RFC 6901).

    A missing or empty field is an error of the event that names it. An e-mail address alone is no identity: one contact can ask twice.
    """
    for pointer in fields:
        if not pointer.startswith("/"):
            raise ValueError(f"declaring an identity: {pointer!r} is no JSON Pointer, such as \"/message_id\"")
    if not fields:
        raise ValueError("declaring an identity: a business key has no fields; name at least one")
    return Identity("business-key", fields)


def seconds(count: int) -> Window:
    """This many seconds, at least 1, after everything that belongs to a key has ended."""
    return Window("duration", seconds=count)


def days(count: int) -> Window:
    """This many days of 24 hours."""
    return seconds(count * _SECONDS_PER_DAY)


def until_marker(name: str) -> Window:
    """Until the operator sets the marker of this name."""
    return Window("until-marker", marker=name)
