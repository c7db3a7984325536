"""The language's own clock, chance and output, as a step may have them.

``time`` and ``datetime`` stand at the event's original time, ``random``, ``os.urandom`` and with it ``uuid.uuid4`` and ``secrets`` repeat exactly on
a retry, and ``print`` writes notes. It is imported before anything else of a component, so that every module of the step sees it.
Outside of a step there is no work and so no time: what a module does when it is imported happens when the component is built, and would be
the same for ever.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import linecache
import os
import random
import sys
import time

from onceward_guest import context, host, journal

_MS_PER_SECOND = 1_000
_NS_PER_MS = 1_000_000

#: What one call of ``os.urandom`` has been given before it, in bytes.
_given = 0


def _now_seconds() -> float:
    return context.occurred_at_ms() / _MS_PER_SECOND


class _EventDate(datetime.date):
    @classmethod
    def today(cls) -> datetime.date:  # type: ignore[override]
        return cls.fromtimestamp(_now_seconds())


class _EventDatetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
        return cls.fromtimestamp(_now_seconds(), tz)

    @classmethod
    def utcnow(cls) -> datetime.datetime:  # type: ignore[override]
        return cls.now(datetime.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> datetime.datetime:  # type: ignore[override]
        return cls.now()


class _Notes(io.TextIOBase):
    """A stream whose whole lines are notes."""

    def __init__(self, level: str) -> None:
        self._level = level
        self._open = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._open = (self._open + text).split("\n")
        for line in lines:
            self._note(line)
        return len(text)

    def end(self) -> None:
        """A last line that nothing has ended."""
        if self._open:
            self._note(self._open)
            self._open = ""

    def _note(self, line: str) -> None:
        # What is printed while the component is built has no work to be noted in.
        if line and host.is_there():
            journal.note(f"{self._level}{line}")


_out = _Notes("")
_error = _Notes("error: ")


def _urandom(size: int) -> bytes:
    global _given
    key = context.derive_id("os.urandom").encode()
    begun = _given
    _given += size
    blocks = range(begun // 32, (begun + size) // 32 + 1)
    stream = b"".join(hashlib.sha256(key + block.to_bytes(8, "big")).digest() for block in blocks)
    at = begun % 32
    return stream[at : at + size]


def begin() -> None:
    """A new work begins: in a component each instance has one, and a test has many."""
    global _given
    _given = 0
    random.seed(context.derive_id("random"))


def end() -> None:
    """Note what was printed last."""
    _out.end()
    _error.end()


def install() -> None:
    """Put them in the language's place."""
    time.time = _now_seconds
    time.time_ns = lambda: context.occurred_at_ms() * _NS_PER_MS
    # What follows the clock that the step's own sleeps would move, and there are none.
    time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
    time.monotonic_ns = time.perf_counter_ns = time.process_time_ns = lambda: 0
    datetime.datetime = _EventDatetime  # type: ignore[misc]
    datetime.date = _EventDate  # type: ignore[misc]
    os.urandom = _urandom
    random._urandom = _urandom  # type: ignore[attr-defined]
    sys.stdout, sys.stderr = _out, _error
    # A trace is told without the lines of the source, since there are no files to look into.
    linecache.updatecache = lambda *_: []
    linecache.checkcache = lambda *_: None
