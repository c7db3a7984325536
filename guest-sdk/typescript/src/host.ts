/** Which host is called: the real one inside a component, that of a test elsewhere. */

import type { Host } from "./wit.ts";

let current: Host | undefined;

/** Have the functions of this package call that host. */
export function install(host: Host | undefined): void {
    current = host;
}

/** The host. `doing` is what was attempted, for whoever calls it where there is none. */
export function host(doing: string): Host {
    if (current === undefined) {
        throw new Error(
            `${doing}: there is no work here, only inside of \`handle\`; in a test run the step with \`Host\` of onceward-guest/testing`,
        );
    }
    return current;
}

/** The variant that the host has thrown. Whatever else was thrown goes on. */
export function refusal<E extends { tag: string; val: string }>(thrown: unknown): E {
    const payload = (thrown as { payload?: { tag?: unknown; val?: unknown } } | null)?.payload;
    if (typeof payload?.tag === "string" && typeof payload.val === "string") {
        return payload as E;
    }
    throw thrown;
}
