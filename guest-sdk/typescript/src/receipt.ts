/** What a step is given that goes on from a destination's receipt. */

import type { Json } from "./json.ts";

/** The payload of a step that a row named as its `receiptStep`. */
export interface Receipt<Sent = Json> {
    /** The row that was accepted: 64 hexadecimal digits. */
    row: string;
    /** The destination that accepted it. */
    destination: string;
    /** The row's slot. */
    slot: string;
    /** The id the third party gave, where its answer held one or a person said it. */
    reference: string | null;
    /** The destination's answer: its JSON, else its text; null where a person said that the row was applied. */
    receipt: Json;
    /** The payload that was sent. */
    sent: Sent;
}
