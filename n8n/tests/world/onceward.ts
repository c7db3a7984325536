import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, freePort, mortal, START_MS, TARGET, until } from './parts';

/** What the scripted model answers. */
const RULES = { rules: [], otherwise: { type: 'other', confidence: 0.4 } };

/** A real host, with its ledger, its steps and its destinations. */
export class Onceward {
	private process?: ChildProcess;

	private constructor(
		private readonly dir: string,
		readonly port: number,
		private readonly secrets: Record<string, string>,
	) {}

	/** Start a host with this configuration, which says nothing of where it listens, and these secrets in its environment. */
	static async start(config: string, secrets: Record<string, string>): Promise<Onceward> {
		const [dir, port] = [folder('host'), await freePort()];
		writeFileSync(join(dir, 'onceward.toml'), `${config}\n[serve]\nlisten = "127.0.0.1:${port}"\n`);
		writeFileSync(join(dir, 'model.rules.json'), JSON.stringify(RULES));
		const host = new Onceward(dir, port, secrets);
		await host.start();
		return host;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Start it, also after it was killed. */
	async start(): Promise<void> {
		const log = createWriteStream(join(this.dir, 'host.log'), { flags: 'a' });
		const env = { ...process.env, ...this.secrets };
		const child = spawn(binary(), ['serve'], { cwd: this.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
		child.stdout.pipe(log);
		child.stderr.pipe(log);
		this.process = mortal(child);
		await until('the host is ready', async () => {
			if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}; see ${this.dir}`);
			return await fetch(`${this.url}/readyz`).then((answer) => answer.ok || undefined, () => undefined);
		}, START_MS);
	}

	/** SIGKILL. */
	async kill(): Promise<void> {
		const child = this.process;
		if (child === undefined || child.exitCode !== null) return;
		const ended = new Promise((resolve) => child.once('exit', resolve));
		child.kill('SIGKILL');
		await ended;
	}

	/** What a command of the program says, as JSON. */
	command(...args: string[]): unknown {
		const env = { ...process.env, ...this.secrets };
		const done = spawnSync(binary(), [...args, '--json'], { cwd: this.dir, env, encoding: 'utf8' });
		if (done.status !== 0) throw new Error(`onceward ${args.join(' ')} ended with ${done.status}: ${done.stderr}`);
		return JSON.parse(done.stdout) as unknown;
	}

	/** A new token. */
	token(name: string, verbs: string, person?: string): string {
		const args = ['token', 'create', '--name', name, '--verbs', verbs, '--by', 'a test', '--why', 'the test asks'];
		if (person !== undefined) args.push('--person', person);
		return (this.command(...args) as { token: string }).token;
	}

	/** What the API says to the holder of a token. */
	async api<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
		const answer = await fetch(`${this.url}${path}`, {
			method,
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		return (await answer.json()) as T;
	}
}

/** A step that was built from the checkout. */
export function step(name: string): string {
	return join(TARGET, 'steps', `${name}.wasm`);
}

function binary(): string {
	return join(TARGET, 'debug', 'onceward');
}
