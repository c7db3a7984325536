/** Items of a batch, each done once by whichever run gets it first. */

import { Failure, HostError } from "./failure.ts";
import { host, refusal } from "./host.ts";
import type * as wit from "./wit.ts";

/** What a claim of an item says: this run holds it now; it has been done; or another run holds it. */
export type ItemVerdict =
    | { state: "acquired" }
    | { state: "done"; externalReference: string | undefined }
    | { state: "in-progress" };

/** Claim items by key; a verdict for each, in order. A key twice in the list is acquired once. It throws a {@link LedgerError}. */
export function claim(items: string[]): ItemVerdict[] {
    return called((ledger) => ledger.claim(items)).map((verdict) =>
        verdict.tag === "done"
            ? { state: "done", externalReference: verdict.val ?? undefined }
            : { state: verdict.tag },
    );
}

/** The effect for an item has been collected. With the step's outcome the item is done for ever. */
export function recordEffect(item: string, externalReference?: string): void {
    called((ledger) => ledger.recordEffect({ item, externalReference: externalReference ?? null }));
}

/** Give an item back without an effect. */
export function release(item: string): void {
    called((ledger) => ledger.release(item));
}

function called<T>(call: (ledger: wit.Host["ledger"]) => T): T {
    const ledger = host("using an item of a batch").ledger;
    try {
        return call(ledger);
    } catch (thrown) {
        const { tag, val } = refusal<wit.LedgerError>(thrown);
        throw new LedgerError(tag, val);
    }
}

const PROBLEMS: Record<wit.LedgerError["tag"], [(reason: string) => string, "retry" | "reject"]> = {
    // Another run may hold the item for now, and a new run claims afresh; the attempt budget bounds it.
    "not-claimed": [(reason) => `this run does not hold it (${reason}); claim it first`, "retry"],
    "invalid-key": [(reason) => `its key is at fault (${reason}); correct the step`, "reject"],
    limit: [(reason) => `a limit was reached (${reason}); work in smaller chunks`, "reject"],
};

/** An item could not be claimed, recorded or released. */
export class LedgerError extends HostError {
    override readonly name = "LedgerError";

    constructor(
        readonly kind: wit.LedgerError["tag"],
        readonly reason: string,
    ) {
        super(`using an item of a batch: ${PROBLEMS[kind][0](reason)}`);
    }

    override failure(): Failure {
        return Failure[PROBLEMS[this.kind][1]](this.message);
    }
}
