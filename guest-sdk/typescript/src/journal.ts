/** Notes for people: which branch was taken, and why. `console` writes them as well. */

import { host } from "./host.ts";

/** Add a line to the work's evidence. Lines past the host's limit are dropped, and the evidence says so. */
export function note(text: string): void {
    host("adding a note").journal.note(text);
}
