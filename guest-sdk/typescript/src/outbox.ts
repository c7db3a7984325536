/** Effects that the host delivers, each once. They commit with the step's outcome. */

import { Failure, HostError } from "./failure.ts";
import { host, refusal } from "./host.ts";
import { note } from "./journal.ts";
import { write } from "./json.ts";
import type * as wit from "./wit.ts";

/** One effect. */
export interface Row {
    /** A destination by the operator's name for it. The contract must ask for it. */
    destination: string;
    /** Names the effect within the handoff. Never made from generated text. */
    slot: string;
    /** The body. */
    payload: unknown;
    /** Raised only when the effect shall happen again for events that have been handled. 1 where it is absent. */
    effectVersion?: number;
    /** Rows of one destination with the same key leave in the order in which they were committed, through retries. */
    orderingKey?: string;
    /** Hold it until a person approves exactly this payload. */
    approval?: { reason: string; expiresAfterSeconds?: number };
    /** The step that goes on from the destination's receipt. */
    receiptStep?: string;
    /** Where the host has no such receipt step, write a note and enqueue the row without it. */
    receiptStepIsOptional?: boolean;
}

/** Put it into the outbox; the row's id (64 hexadecimal digits). The same row twice is one row. It throws an {@link EnqueueError}. */
export function enqueue(row: Row): string {
    const { destination, slot, approval, receiptStep } = row;
    let payload: string;
    try {
        payload = write(row.payload);
    } catch (error) {
        throw new EnqueueError("unwritable", destination, slot, (error as Error).message);
    }
    const sent: wit.Row = {
        destination,
        slot,
        effectVersion: row.effectVersion ?? 1,
        payload,
        orderingKey: row.orderingKey ?? null,
        approval:
            approval === undefined
                ? null
                : { reason: approval.reason, expiresAfter: approval.expiresAfterSeconds ?? null },
        receiptStep: receiptStep ?? null,
    };
    try {
        return once(sent);
    } catch (error) {
        const optional = row.receiptStepIsOptional === true && receiptStep !== undefined;
        if (!(optional && error instanceof EnqueueError && error.kind === "invalid-row")) {
            throw error;
        }
        // The host's words say whether the step is what was wrong; if it was something else, it is said again.
        note(`enqueuing without the receipt step \`${receiptStep}\`: ${error.reason}`);
        return once({ ...sent, receiptStep: null });
    }
}

function once(row: wit.Row): string {
    const outbox = host("enqueuing a row").outbox;
    try {
        return outbox.enqueue(row);
    } catch (thrown) {
        const { tag, val } = refusal<wit.EnqueueError>(thrown);
        throw new EnqueueError(tag, row.destination, row.slot, val);
    }
}

/** `unwritable`: the payload is no JSON. */
export type EnqueueProblem = wit.EnqueueError["tag"] | "unwritable";

/** Each problem's words, and what becomes of the work where the step does not catch it. */
const PROBLEMS: Record<EnqueueProblem, [(slot: string, reason: string) => string, "review" | "reject"]> = {
    "not-granted": [
        (_, reason) => `it is not granted (${reason}); name it in the contract and in the operator's grants`,
        "review",
    ],
    // Two contents claim to be the same effect: a person looks at both.
    conflict: [
        (slot, row) => `row ${row}, \`${slot}\`, has another payload, which stands; use another slot for another effect`,
        "review",
    ],
    "invalid-row": [(slot, reason) => `the row \`${slot}\` is at fault (${reason}); correct the step`, "reject"],
    limit: [(_, reason) => `a limit was reached (${reason}); enqueue less, or raise it`, "reject"],
    unwritable: [(slot, reason) => `the payload of \`${slot}\` is no JSON (${reason}); correct the step`, "reject"],
};

/** A row did not get into the outbox. */
export class EnqueueError extends HostError {
    override readonly name = "EnqueueError";

    constructor(
        readonly kind: EnqueueProblem,
        readonly destination: string,
        readonly slot: string,
        readonly reason: string,
    ) {
        super(`enqueuing to \`${destination}\`: ${PROBLEMS[kind][0](slot, reason)}`);
    }

    override failure(): Failure {
        return Failure[PROBLEMS[this.kind][1]](this.message);
    }
}
