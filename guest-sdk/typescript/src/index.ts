/** Everything that a usual step needs. */

export { businessKey, content, type Contract, days, eventKey, forEver, seconds, untilMarker } from "./contract.ts";
export type { Identity, Pointer, Window } from "./contract.ts";
export * as context from "./context.ts";
export * as decisions from "./decisions.ts";
export { decide, type Decision, DecisionError, type Question } from "./decisions.ts";
export { Failure, HostError } from "./failure.ts";
export * as journal from "./journal.ts";
export { type Json, Misfit, type Schema } from "./json.ts";
export * as ledger from "./ledger.ts";
export { LedgerError } from "./ledger.ts";
export { enqueue, EnqueueError, type Row } from "./outbox.ts";
export * as progress from "./progress.ts";
export { ProgressError } from "./progress.ts";
export type { Receipt } from "./receipt.ts";
export { continueFrom, type Definition, done, type Outcome, step, type Step, type Work } from "./step.ts";
