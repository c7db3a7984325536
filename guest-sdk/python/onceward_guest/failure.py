"""What becomes of a work that is not done."""

from __future__ import annotations

from typing import Literal

Kind = Literal["retry", "review", "reject"]


class Failure(Exception):
    """The work is not done, and this is what shall happen to it. Raise it.

    Nothing that was collected commits; decisions that were made stay.
    """

    def __init__(self, kind: Kind, reason: str, after_ms: int | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.after_ms = after_ms

    @classmethod
    def retry(cls, reason: str, after_ms: int | None = None) -> Failure:
        """Try again within the attempt budget: on the operator's schedule, or not before so many milliseconds."""
        return cls("retry", reason, after_ms)

    @classmethod
    def review(cls, reason: str) -> Failure:
        """A person must decide. Nothing is lost until they do."""
        return cls("review", reason)

    @classmethod
    def reject(cls, reason: str) -> Failure:
        """This work can never succeed. It is final."""
        return cls("reject", reason)


class HostError(Exception):
    """An error of the host. Raised out of a step it becomes the failure that can help."""

    #: What happens to the work where the step does not catch the error, and the error's words, for each of its kinds.
    PROBLEMS: dict[str, tuple[Kind, str]] = {}

    def __init__(self, kind: str, doing: str, reason: str) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(f"{doing}: {self.PROBLEMS[kind][1].format(reason=reason)}")

    def failure(self) -> Failure:
        """What happens to the work."""
        return Failure(self.PROBLEMS[self.kind][0], str(self))
