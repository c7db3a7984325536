/** Time, numbers and ids that are the same on every attempt of a work. `Date` and `Math.random` come from here as well. */

import { host } from "./host.ts";

/** 2^11: what is left of 64 bits above the 53 that a number holds. */
const BELOW = 2048;

/** The event's original time, in Unix milliseconds. It is the same on every attempt and replay. */
export function occurredAtMs(): number {
    return host("asking for the event's time").context.occurredAt();
}

/** A whole number from 0 to 2^53 - 1, from the work's identity and the label. It repeats exactly on a retry. */
export function seed(label: string): number {
    const whole = host("asking for a seed").context.seed(label);
    return Math.min(Math.floor(whole / BELOW), Number.MAX_SAFE_INTEGER);
}

/** A UUID (RFC 9562, version 8) from the work's identity and the label. It repeats exactly on a retry. */
export function deriveId(label: string): string {
    return host("deriving an id").context.deriveId(label);
}
