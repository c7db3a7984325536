"""A step: its contract, and the function from one work to one outcome."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any, Callable, Generic, TypeVar

from onceward_guest import journal, wit
from onceward_guest.failure import Failure, HostError
from onceward_guest.jsons import Misfit, prepare, read, write

Input = TypeVar("Input")

#: The functions that are told at most of those that an error happened in, from the innermost on.
_FUNCTIONS_MAX = 6


@dataclass(frozen=True)
class Work(Generic[Input]):
    """One thing to be done once, with its payload read."""

    #: 64 hexadecimal digits, the same on every attempt.
    id: str
    #: The readable key, for people and notes.
    key: str
    namespace: str
    #: From 1. A step need not look at it: a retry sees the same answers as the attempt before.
    attempt: int
    #: Where the event came from.
    source: str
    #: The provider's message id, where there is one.
    event_id: str | None
    #: The event's payload, or the output of the step before this one in a flow.
    payload: Input


@dataclass(frozen=True)
class Done:
    """Finished, with this output: what a duplicate gets, and the next step's payload.

    A reason for a review asks a person to look; it stops nothing.
    """

    output: object
    needs_review: str | None = None


@dataclass(frozen=True)
class ContinueFrom:
    """A chunk is done and commits; the step runs again, and gets the cursor by ``load_cursor``."""

    cursor: str


Outcome = Done | ContinueFrom
Handler = Callable[[Work[Any]], Outcome]


@dataclass(frozen=True)
class Step:
    """What the host calls: a contract, and what does the work."""

    declaration: wit.Declaration
    input: Any
    handle: Handler

    def attempt(self, raw: wit.RawWork) -> Outcome:
        """One attempt. It raises what the step raises."""
        try:
            payload = read(raw.payload, self.input)
        except Misfit as error:
            raise Failure.review(f"reading the payload: {error}") from None
        members = {**vars(raw), "payload": payload}
        outcome = self.handle(Work(**members))
        if not isinstance(outcome, Done | ContinueFrom):
            raise TypeError("the step gave no outcome; return Done(output) or ContinueFrom(cursor)")
        return outcome


def step(
    *,
    name: str,
    version: int,
    identity: wit.Identity,
    window: wit.Window,
    response: Any,
    input: Any = object,
    volatile: list[str] | None = None,
    urls: list[str] | None = None,
    times: list[str] | None = None,
    trimmed: list[str] | None = None,
    content_fields: list[str] | None = None,
    read_only: bool = False,
    destinations: list[str] | None = None,
    keyed_destinations: list[str] | None = None,
    models: list[str] | None = None,
) -> Callable[[Handler], Step]:
    """Declare a step: a function from a :class:`Work` to :class:`Done` or :class:`ContinueFrom`.

    The host calls it in a fresh instance each time, and may do so again at any moment: a retry gets the same time, numbers, ids and
    decisions. Raise a :class:`Failure` where the work is not done. Anything else that is raised is a failed attempt. ``input`` is the type that a
    payload is read into; one that does not fit goes to a person, with the place.
    """
    declared = wit.Declaration(
        name=name,
        version=version,
        identity=identity,
        window=window,
        response=response,
        volatile=volatile or [],
        urls=urls or [],
        times=times or [],
        trimmed=trimmed or [],
        content_fields=content_fields,
        read_only=read_only,
        destinations=destinations or [],
        keyed_destinations=keyed_destinations or [],
        models=models or [],
    )
    prepare(input)
    return lambda handle: Step(declared, input, handle)


def written(outcome: Done) -> str:
    """The output as JSON text."""
    try:
        return write(outcome.output)
    except (TypeError, ValueError) as error:
        raise Failure.review(f"the output cannot be written as JSON: {error}") from None


def failure_of(error: Exception) -> Failure:
    """What becomes of the work. What is no failure and no error of the host is noted, and raised on: the attempt failed."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, HostError):
        return error.failure()
    journal.note(f"panic: {_told(error)}")
    raise error


def _told(error: Exception) -> str:
    """An error's words, and the step's functions that it happened in."""
    # Without the lines of the source, which a component can't read.
    frames = [
        (frame.f_code.co_name, frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if "onceward_guest" not in frame.f_code.co_filename
    ]
    frames.reverse()
    places = [f"{name} ({file.rsplit('/', 1)[-1]}:{line})" for name, file, line in frames[:_FUNCTIONS_MAX]]
    words = f"{type(error).__name__}: {error}"
    return f"{words}; in {', called by '.join(places)}" if places else words
