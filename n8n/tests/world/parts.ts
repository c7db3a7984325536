import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The package's folder; the tests are compiled into `out/tests`, below it. */
export const PACKAGE = dirname(dirname(dirname(__dirname)));

/** The checkout. */
export const ROOT = dirname(PACKAGE);

/** Where cargo builds. */
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');

/** The n8n that is tried. */
export const N8N_VERSION = '2.8.4';

/** Where it is installed: outside the checkout, and kept, since it takes minutes. */
export function n8nFolder(): string {
	const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
	return join(cache, 'onceward', `n8n-${N8N_VERSION}`);
}

/** A new folder, which is removed when the process ends well. */
export function folder(name: string): string {
	const made = mkdtempSync(join(tmpdir(), `onceward-n8n-${name}-`));
	process.on('exit', (code) => {
		if (code === 0) rmSync(made, { recursive: true, force: true });
	});
	return made;
}

/** A process that ends when this one does, however that ends. */
export function mortal(child: ChildProcess): ChildProcess {
	process.on('exit', () => child.kill('SIGKILL'));
	return child;
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** A port that nobody has now. */
export async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** How long anything may take to come about; the machine may be busy. */
const PATIENCE_MS = 60_000;

/** How long a program may take to start. */
export const START_MS = 240_000;

/** Try until it holds. */
export async function until<T>(what: string, attempt: () => Promise<T | undefined> | T | undefined, patienceMs = PATIENCE_MS): Promise<T> {
	const end = Date.now() + patienceMs;
	for (;;) {
		const found = await attempt();
		if (found !== undefined && found !== false) return found;
		if (Date.now() > end) throw new Error(`waited ${patienceMs} ms in vain: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}
