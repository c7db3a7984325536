/** How far a handoff has come, for people: forward only; and the cursor of a batch. */

import { Failure, HostError } from "./failure.ts";
import { host, refusal } from "./host.ts";
import { note } from "./journal.ts";
import type * as wit from "./wit.ts";

/** Move the handoff to a stage. The stage it is at already changes nothing. It throws a {@link ProgressError}. */
export function advance(stage: string): void {
    const progress = host("advancing to a stage").progress;
    try {
        progress.advance(stage);
    } catch (thrown) {
        const { tag, val } = refusal<wit.ProgressError>(thrown);
        throw new ProgressError(tag, stage, val);
    }
}

/** Move the handoff to a stage; where that can't be, write a note and go on: a mark is no reason to lose a lead. */
export function advanceOrNote(stage: string): void {
    try {
        advance(stage);
    } catch (error) {
        if (!(error instanceof ProgressError)) {
            throw error;
        }
        note(error.message);
    }
}

/** The cursor that the last `continueFrom` of this work gave; none in its first run. */
export function loadCursor(): string | undefined {
    return host("loading the cursor").progress.loadCursor() ?? undefined;
}

/** A handoff could not be moved to a stage. */
export class ProgressError extends HostError {
    override readonly name = "ProgressError";

    constructor(
        readonly kind: wit.ProgressError["tag"],
        readonly stage: string,
        reason: string,
    ) {
        super(
            kind === "unknown-stage"
                ? `advancing to \`${stage}\`: there is no such stage (${reason}); configure it or use another`
                : `advancing to \`${stage}\`: the handoff has reached \`${reason}\`; stages only go forward`,
        );
    }

    /** To a person: another attempt finds the same stages, and the work itself may be worth keeping. */
    override failure(): Failure {
        return Failure.review(this.message);
    }
}
