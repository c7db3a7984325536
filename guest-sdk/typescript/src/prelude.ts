/**
 * The language's own clock, chance and console, as a step may have them: `Date` stands at the event's original time,
 * `Math.random` repeats exactly on a retry, and `console` writes notes.
 *
 * It is imported before anything else of a component, so that every module of the step sees it. Outside of `handle` there is no work
 * and so no time: what a module does when it is loaded happens when the component is built, and would be the same for ever.
 */

import { deriveId, occurredAtMs } from "./context.ts";
import { note } from "./journal.ts";

const RealDate = Date;

const EventDate: DateConstructor = new Proxy(RealDate, {
    construct: (target, given, made) =>
        Reflect.construct(target, given.length === 0 ? [occurredAtMs()] : given, made) as Date,
    apply: () => new RealDate(occurredAtMs()).toString(),
    get: (target, member, receiver) =>
        member === "now" ? occurredAtMs : (Reflect.get(target, member, receiver) as unknown),
});

/** What follows the clock that the step's own sleeps would move, and there are none. */
const stillness = { now: () => 0, get timeOrigin() { return occurredAtMs(); } };

/** A sequence of numbers from 0 to 1 that is the work's own: sfc32 of the test suite PractRand. */
function sequence(): () => number {
    const digits = deriveId("Math.random").replaceAll("-", "");
    const part = (at: number) => Number.parseInt(digits.slice(at * 8, at * 8 + 8), 16) | 0;
    let [a, b, c, count] = [part(0), part(1), part(2), part(3)];
    const next = () => {
        const sum = (((a + b) | 0) + count) | 0;
        count = (count + 1) | 0;
        a = b ^ (b >>> 9);
        b = (c + (c << 3)) | 0;
        c = ((c << 21) | (c >>> 11)) + sum | 0;
        return sum >>> 0;
    };
    // 53 bits, as the language's own has.
    return () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992;
}

let random: (() => number) | undefined;

/** A new work begins: in a component each instance has one, and a test has many. */
export function begin(): void {
    random = undefined;
}

function shown(value: unknown): string {
    if (typeof value === "string") {
        return value;
    }
    if (value instanceof Error) {
        return `${value.name}: ${value.message}`;
    }
    try {
        return JSON.stringify(value) ?? String(value);
    } catch {
        return String(value);
    }
}

function writer(level: string): (...values: unknown[]) => void {
    return (...values) => note(`${level}${values.map(shown).join(" ")}`);
}

/** Put them in the language's place. */
export function install(): void {
    globalThis.Date = EventDate;
    Math.random = () => (random ??= sequence())();
    const console = { log: writer(""), info: writer(""), debug: writer(""), warn: writer("warning: "), error: writer("error: ") };
    Object.assign(globalThis, { console, performance: stillness });
}
