/** JSON, and how text is read into a type: by any schema of the interface https://standardschema.dev (Valibot, Zod, ArkType). */

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** The part of Standard Schema, version 1, that is used here. */
export interface Schema<Output> {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
        readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    };
}

type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

interface Issue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** JSON that is not of the type that was expected. */
export class Misfit extends Error {
    override readonly name = "Misfit";
    /** The place as a JSON Pointer (RFC 6901). Empty: the whole text. */
    readonly pointer: string;

    constructor(pointer: string, found: string) {
        const place = pointer === "" ? "the JSON as a whole does not fit" : `the JSON does not fit at \`${pointer}\``;
        super(`${place}: ${found}`);
        this.pointer = pointer;
    }
}

/** Read JSON text; without a schema it is whatever it is. */
export function read<Output>(text: string, schema: Schema<Output> | undefined): Output {
    let value: unknown;
    try {
        value = JSON.parse(text);
    } catch (error) {
        throw new Misfit("", (error as Error).message);
    }
    if (schema === undefined) {
        return value as Output;
    }
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise) {
        throw new Error("reading JSON: the schema works asynchronously, and a step can't wait; use a synchronous schema");
    }
    if (result.issues === undefined) {
        return result.value;
    }
    const [issue] = result.issues;
    throw new Misfit(pointer(issue?.path ?? []), issue?.message ?? "the schema says no more");
}

/** Write JSON text. `undefined`, which is no JSON, and what can't be written (a BigInt, a circle) is an error. */
export function write(value: unknown): string {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) {
        throw new TypeError(`${typeof value} is no JSON`);
    }
    return text;
}

function pointer(path: NonNullable<Issue["path"]>): string {
    return path
        .map((part) => String(typeof part === "object" ? part.key : part))
        .map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`)
        .join("");
}
