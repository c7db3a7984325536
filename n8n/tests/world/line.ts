import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from './receiver';

/** A request that went over the line. */
export interface Passed {
	method: string;
	path: string;
	body: string;
}

/** Which requests a fault is for. */
export type Choice = (passed: Passed) => boolean;

/** What happens to requests. */
interface Fault {
	choose: Choice;
	times: number;
	/** When the answer goes on, and whether it arrives. */
	gate: Promise<'let-go' | 'lose'>;
}

/** The line between n8n and the host: it counts, and loses replies when it is told to. */
export class Line {
	readonly passed: Passed[] = [];

	private readonly faults: Fault[] = [];

	/** Where the host is. */
	port = 0;

	private constructor(private readonly server: Server) {}

	static async start(): Promise<Line> {
		const server = createServer();
		const line = new Line(server);
		server.on('request', (request, response) => {
			line.pass(request, response).catch(() => response.destroy());
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return line;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Lose the replies of the next requests that are chosen: the host has done what they say. */
	loseReply(choose: Choice, times = 1): void {
		this.faults.push({ choose, times, gate: Promise.resolve('lose') });
	}

	/** Keep the answer of the next chosen request from n8n, until it is let go or lost. */
	hold(choose: Choice): (how?: 'let-go' | 'lose') => void {
		let open = (_: 'let-go' | 'lose') => {};
		const gate = new Promise<'let-go' | 'lose'>((resolve) => (open = resolve));
		this.faults.push({ choose, times: 1, gate });
		return (how = 'let-go') => open(how);
	}

	/** How many chosen requests there were. */
	count(choose: Choice): number {
		return this.passed.filter(choose).length;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const passed = { method: request.method ?? '', path: request.url ?? '', body: await text(request) };
		this.passed.push(passed);
		const fault = this.next(passed);
		const { status, headers, body } = await this.forward(request, passed);
		if ((await fault?.gate) === 'lose') response.destroy();
		else response.writeHead(status, headers).end(body);
	}

	/** What happens to this request; nothing, for most. */
	private next(passed: Passed): Fault | undefined {
		const fault = this.faults.find(({ choose, times }) => times > 0 && choose(passed));
		if (fault !== undefined) fault.times -= 1;
		return fault;
	}

	private async forward(request: IncomingMessage, { method, path, body }: Passed) {
		return await new Promise<{ status: number; headers: Record<string, string>; body: string }>((resolve, reject) => {
			const { host: _, connection: __, ...headers } = request.headers;
			const sent = ask({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false }, (answer) => {
				text(answer).then((answered) => {
					const kept = ['content-type', 'retry-after', 'onceward-replayed'];
					const named = kept.flatMap((name) => (answer.headers[name] === undefined ? [] : [[name, String(answer.headers[name])]]));
					resolve({ status: answer.statusCode ?? 502, headers: Object.fromEntries(named) as Record<string, string>, body: answered });
				}, reject);
			});
			sent.on('error', reject);
			sent.end(body);
		});
	}
}

/** Requests to a path that end so, about something. */
export function about(ending: string, id: string): Choice {
	return ({ path, body }) => path.split('?')[0]?.endsWith(ending) === true && body.includes(`"${id}"`);
}
