/** What a step declares: identity, window, response, and what it asks for. The host checks it when it loads the step. */

import type * as wit from "./wit.ts";

/** A JSON Pointer (RFC 6901). */
export type Pointer = `/${string}`;

/** What makes two events the same work. */
export type Identity = wit.Identity;

/** The event's own key: its source and provider message id; where the provider has no id, its source and original time. */
export const eventKey: Identity = { tag: "event-key" };

/** The whole payload in canonical form (RFC 8785), without its volatile fields. */
export const content: Identity = { tag: "content" };

/**
 * The values of these fields of the payload. A missing or empty field is an error of the event that names it. An e-mail
 * address alone is no identity: one contact can ask twice.
 */
export function businessKey(...fields: [Pointer, ...Pointer[]]): Identity {
    return { tag: "business-key", val: fields };
}

/** How long a key is remembered after everything that belongs to it has ended. */
export type Window = wit.Window;

/** Never forgotten. */
export const forEver: Window = { tag: "for-ever" };

/** This many seconds, at least 1. */
export function seconds(count: number): Window {
    return { tag: "duration", val: count };
}

/** This many days of 24 hours. */
export function days(count: number): Window {
    return seconds(count * 86_400);
}

/** Until the operator sets the marker of this name. */
export function untilMarker(name: string): Window {
    return { tag: "until-marker", val: name };
}

/** What every step declares. `identity`, `window` and `response` have no defaults. */
export interface Contract {
    /** Lower-case letters, digits and hyphens, at most 64. */
    name: string;
    /** Raised whenever identity or normalisation change. From 1. */
    version: number;
    identity: Identity;
    window: Window;
    /** What a duplicate of finished work is answered: the first result, that it has been done, or an error. */
    response: wit.Response;
    /** Fields that change with each delivery. A bare member name applies at every depth; `*` stands for every element. */
    volatile?: string[];
    /** Fields compared as URLs: tracking parameters gone, query sorted. */
    urls?: Pointer[];
    /** Fields compared as RFC 3339 instants, whatever their offset. */
    times?: Pointer[];
    /** Strings whose surrounding white space does not count. */
    trimmed?: Pointer[];
    /** The fields whose change is a mismatch. Absent: all but the volatile ones. */
    contentFields?: Pointer[];
    /** The step only reads: nothing of its runs is kept, and whatever would act is refused. */
    readOnly?: boolean;
    /** Destinations that the step enqueues to. */
    destinations?: string[];
    /** Destinations that must recognise a repeat by its key, such as where money goes. */
    keyedDestinations?: string[];
    /** Models that the step asks. */
    models?: string[];
}

/** The host's form of it. */
export function declaration(contract: Contract): wit.Declaration {
    const wanted = (names: string[] | undefined, weakest: wit.Tier) => (names ?? []).map((name) => ({ name, weakest }));
    return {
        name: contract.name,
        version: contract.version,
        identity: contract.identity,
        normalisation: {
            volatile: contract.volatile ?? [],
            urls: contract.urls ?? [],
            times: contract.times ?? [],
            trimmed: contract.trimmed ?? [],
            contentFields: contract.contentFields ?? null,
        },
        window: contract.window,
        response: contract.response,
        mode: contract.readOnly === true ? "read-only" : "recorded",
        destinations: [...wanted(contract.destinations, "blind"), ...wanted(contract.keyedDestinations, "key")],
        models: contract.models ?? [],
    };
}
