"""Write Onceward steps in Python. The folder's README says how."""

from onceward_guest import context, decisions, journal, ledger, progress
from onceward_guest.contract import CONTENT, EVENT_KEY, FOR_EVER, business_key, days, seconds, until_marker
from onceward_guest.decisions import Decision, DecisionError, decide
from onceward_guest.failure import Failure, HostError
from onceward_guest.journal import note
from onceward_guest.ledger import LedgerError
from onceward_guest.outbox import EnqueueError, enqueue
from onceward_guest.progress import ProgressError
from onceward_guest.receipt import Receipt
from onceward_guest.step import ContinueFrom, Done, Outcome, Step, Work, step
from onceward_guest.wit import Approval

__all__ = [
    "CONTENT", "EVENT_KEY", "FOR_EVER", "Approval", "ContinueFrom", "Decision", "DecisionError", "Done", "EnqueueError", "Failure",
    "HostError", "LedgerError", "Outcome", "ProgressError", "Receipt", "Step", "Work", "business_key", "context", "days", "decide",
    "decisions", "enqueue", "journal", "ledger", "note", "progress", "seconds", "step", "until_marker",
]
