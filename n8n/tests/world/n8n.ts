import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, freePort, mortal, n8nFolder, PACKAGE, START_MS, until } from './parts';
import type { Workflow } from './workflow';

/** An execution, as n8n has it on record. */
export interface Execution {
	id: string;
	status: string;
	workflowId: string;
	retryOf?: string;
}

const OWNER = { email: 'owner@example.com', firstName: 'A', lastName: 'Test', password: 'Test-only-1' };

/** A real n8n with the package installed as a user installs it. */
export class N8n {
	private process?: ChildProcess;

	private cookie = '';

	private constructor(
		private readonly dir: string,
		private readonly ports: { web: number; broker: number },
	) {}

	/** An n8n that is not started yet, so that others can be told where it will be. */
	static async prepare(): Promise<N8n> {
		return new N8n(folder('n8n'), { web: await freePort(), broker: await freePort() });
	}

	/** Install the package, start, and make an owner. */
	async start(): Promise<void> {
		this.install();
		await this.launch();
		await this.rest('POST', '/owner/setup', OWNER);
	}

	get url(): string {
		return `http://127.0.0.1:${this.ports.web}`;
	}

	/** Start it, also after it was killed. */
	async launch(): Promise<void> {
		const log = join(this.dir, 'n8n.log');
		const child = spawn(process.execPath, [join(n8nFolder(), 'node_modules', 'n8n', 'bin', 'n8n'), 'start'], {
			cwd: this.dir,
			env: this.environment(),
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const stream = createWriteStream(log, { flags: 'a' });
		child.stdout.pipe(stream);
		child.stderr.pipe(stream);
		this.process = mortal(child);
		let ready = false;
		child.stdout.on('data', (chunk: Buffer) => (ready ||= chunk.includes('Editor is now accessible')));
		await until('n8n is ready', () => {
			if (child.exitCode !== null) throw new Error(`n8n ended with ${child.exitCode}: ${readFileSync(log, 'utf8').slice(-2_000)}`);
			return ready || undefined;
		}, START_MS);
	}

	/** SIGKILL, together with its task runner. */
	async kill(): Promise<void> {
		const child = this.process;
		if (child === undefined || child.exitCode !== null) return;
		const ended = new Promise((resolve) => child.once('exit', resolve));
		child.kill('SIGKILL');
		await ended;
	}

	/** Add a credential; its id. */
	async credential(name: string, data: Record<string, string>): Promise<string> {
		const body = { name, type: 'oncewardApi', data };
		return (await this.rest<{ id: string }>('POST', '/credentials', body)).id;
	}

	/** Add a workflow and publish it. */
	async publish(workflow: Workflow): Promise<string> {
		const { id, versionId } = await this.rest<{ id: string; versionId: string }>('POST', '/workflows', workflow);
		await this.rest('POST', `/workflows/${id}/activate`, { versionId });
		return id;
	}

	/** Call a webhook. */
	async deliver(path: string, body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
		const answer = await fetch(`${this.url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = await answer.text();
		try {
			return { status: answer.status, body: JSON.parse(text) as unknown };
		} catch {
			return { status: answer.status, body: text };
		}
	}

	/** The executions of a workflow, newest first. */
	async executions(workflowId: string): Promise<Execution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return (await this.rest<{ results: Execution[] }>('GET', `/executions?filter=${filter}&limit=100`)).results;
	}

	/** All that is on record of an execution, as a text. */
	async evidence(id: string): Promise<string> {
		return JSON.stringify(await this.rest('GET', `/executions/${id}`));
	}

	/** Run an execution again from where it failed, as a person does in the editor. */
	async retry(id: string): Promise<void> {
		await this.rest('POST', `/executions/${id}/retry`, { loadWorkflow: false });
	}

	/** n8n's own API, as its editor uses it. */
	async rest<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		const answer = await fetch(`${this.url}/rest${path}`, {
			method,
			headers: { 'content-type': 'application/json', cookie: this.cookie },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const [cookie] = answer.headers.getSetCookie();
		if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
		const said = (await answer.json()) as { data: T };
		if (!answer.ok) throw new Error(`n8n says ${answer.status} to ${method} ${path}: ${JSON.stringify(said)}`);
		return said.data;
	}

	/** The package, packed and installed where n8n looks for community nodes. */
	private install(): void {
		const nodes = join(this.dir, '.n8n', 'nodes');
		mkdirSync(nodes, { recursive: true });
		const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
		npm(PACKAGE, 'pack', '--silent', '--pack-destination', this.dir);
		const packed = readdirSync(this.dir).find((name) => name.endsWith('.tgz')) ?? '';
		npm(nodes, 'install', join(this.dir, packed), '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund');
	}

	private environment(): NodeJS.ProcessEnv {
		const { PATH, HOME, LANG } = process.env;
		const off = ['DIAGNOSTICS', 'VERSION_NOTIFICATIONS', 'TEMPLATES', 'PERSONALIZATION', 'COMMUNITY_PACKAGES'];
		return {
			PATH,
			HOME,
			LANG,
			N8N_USER_FOLDER: this.dir,
			...Object.fromEntries(off.map((name) => [`N8N_${name}_ENABLED`, 'false'])),
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_PORT: String(this.ports.web),
			N8N_RUNNERS_BROKER_PORT: String(this.ports.broker),
			N8N_SECURE_COOKIE: 'false',
			N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
		};
	}
}
