#!/usr/bin/env node
// From a step in TypeScript to a component: `node build.mjs [--out FILE]` in the step's folder, which has the step in src/step.ts and
// esbuild and componentize-qjs among its dependencies. esbuild makes one script of the step and what it imports; QuickJS runs
// what stands outside of `handle` once, and the component begins where that ended.

import { existsSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const sdk = dirname(fileURLToPath(import.meta.url));
const folder = process.cwd();

function failed(words) {
    console.error(`error: building the step in ${folder}: ${words}`);
    process.exit(1);
}

/** A package among the step's own dependencies. */
async function tool(name) {
    let path;
    try {
        path = createRequire(join(folder, "package.json")).resolve(name);
    } catch {
        failed(`${name} is not installed; run \`npm install\``);
    }
    return import(pathToFileURL(path).href);
}

const { values } = parseArgs({ options: { out: { type: "string" } } });
const source = join(folder, "src/step.ts");
if (!existsSync(source)) {
    failed("there is no src/step.ts, which exports the step as its default");
}
// Beside the SDK where `onceward new` wrote it, and one folder higher in the project's own repository.
const wit = ["../wit/since_v0.1.0", "../../wit/since_v0.1.0"].map((path) => join(sdk, path)).find(existsSync);
if (wit === undefined) {
    failed(`the host's interfaces are not beside the SDK in ${sdk}; make the step anew with \`onceward new\``);
}
const out = resolve(values.out ?? `${basename(folder)}.wasm`);

const esbuild = await tool("esbuild");
const { componentize } = await tool("componentize-qjs");

const entry = `import { component } from ${JSON.stringify(join(sdk, "src/component.ts"))};
import step from ${JSON.stringify(source)};
export const guest = component(step);`;
const bundled = await esbuild
    .build({
        stdin: { contents: entry, resolveDir: folder, sourcefile: "onceward-entry.ts", loader: "ts" },
        tsconfig: existsSync(join(folder, "tsconfig.json")) ? join(folder, "tsconfig.json") : undefined,
        bundle: true,
        write: false,
        format: "esm",
        platform: "neutral",
        mainFields: ["module", "main"],
        target: "es2023",
        external: ["onceward:step/*"],
        // Small; and a trap still names the functions that it happened in.
        minifySyntax: true,
        minifyWhitespace: true,
        legalComments: "none",
    })
    // It has told of everything that is wrong.
    .catch(() => process.exit(1));

const { component } = await componentize({
    witPath: wit,
    world: "step",
    jsSource: bundled.outputFiles[0].text,
    stubWasi: true,
    sync: true,
    // The quicker interpreter: half a MiB more, which is mapped and not read, and each run takes a fifth less.
    optSize: false,
}).catch((error) => failed(String(error.message ?? error)));

// Whole or not there: a host may be loading it.
writeFileSync(`${out}.part`, component);
renameSync(`${out}.part`, out);
console.error(`${out}: ${Math.ceil(component.length / 1024)} KiB`);
