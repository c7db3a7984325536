/** What becomes of a work that is not done. */

import type * as wit from "./wit.ts";

/**
 * The work is not done, and this is what shall happen to it. Throw it. Nothing that was collected commits; decisions
 * that were made stay.
 */
export class Failure extends Error {
    override readonly name: string = "Failure";
    private readonly wit: wit.Failure;

    private constructor(reason: string, wit: wit.Failure) {
        super(reason);
        this.wit = wit;
    }

    /** Try again within the attempt budget: on the operator's schedule, or not before so many milliseconds. */
    static retry(reason: string, afterMs?: number): Failure {
        return new Failure(reason, { tag: "retry", val: { reason, afterMs: afterMs ?? null } });
    }

    /** A person must decide. Nothing is lost until they do. */
    static review(reason: string): Failure {
        return new Failure(reason, { tag: "review", val: reason });
    }

    /** This work can never succeed. It is final. */
    static reject(reason: string): Failure {
        return new Failure(reason, { tag: "reject", val: reason });
    }

    /** What happens to the work. */
    get kind(): "retry" | "review" | "reject" {
        return this.wit.tag;
    }

    /** The host's form of it. */
    intoWit(): wit.Failure {
        return this.wit;
    }
}

/** An error of the host. Thrown out of `handle` it becomes the failure that can help. */
export abstract class HostError extends Error {
    /** What happens to the work where the step does not catch the error. */
    abstract failure(): Failure;
}
