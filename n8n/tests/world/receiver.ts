import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was asked of the receiver: one write. */
export interface Write {
	/** What tells effects apart: the id in the body. */
	id: string;
	/** The idempotency key, where there was one. */
	key?: string;
	body: Record<string, unknown>;
}

/** The outside system: it writes what it is asked to, and counts. */
export class Receiver {
	readonly writes: Write[] = [];

	/** Requests that were refused, or whose answer was lost, on purpose. */
	private readonly faults = new Map<string, Array<'refuse' | 'lose-reply'>>();

	private readonly gates = new Map<string, Promise<void>>();

	private readonly arrived = new Map<string, number>();

	private constructor(private readonly server: Server) {}

	static async start(): Promise<Receiver> {
		const server = createServer();
		const receiver = new Receiver(server);
		server.on('request', (request, response) => {
			receiver.take(request, response).catch((error: Error) => response.destroy(error));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return receiver;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** How often something was written. A repeat under a key that is known writes nothing. */
	count(id: string): number {
		return this.writes.filter((write) => write.id === id).length;
	}

	/** How many requests came for it, answered or not. */
	requests(id: string): number {
		return this.arrived.get(id) ?? 0;
	}

	/** Do so to the next request for it. */
	fault(id: string, fault: 'refuse' | 'lose-reply'): void {
		this.faults.set(id, [...(this.faults.get(id) ?? []), fault]);
	}

	/** Write what is asked for it and answer only when the gate is opened. */
	hold(id: string): () => void {
		let open = () => {};
		this.gates.set(id, new Promise((resolve) => (open = resolve)));
		return open;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = JSON.parse(await text(request)) as Record<string, unknown>;
		const id = String(body.id ?? '');
		this.arrived.set(id, this.requests(id) + 1);
		const fault = this.faults.get(id)?.shift();
		if (fault === 'refuse') {
			response.writeHead(503, { 'content-type': 'application/json' }).end('{"problem":"down"}');
			return;
		}
		const key = request.headers['idempotency-key'];
		const known = key === undefined ? undefined : this.writes.find((write) => write.key === key);
		if (known === undefined) this.writes.push({ id, body, ...(typeof key === 'string' ? { key } : {}) });
		await this.gates.get(id);
		if (fault === 'lose-reply') {
			response.destroy();
			return;
		}
		const reference = `deal-${this.writes.findIndex((write) => write.id === id) + 1}`;
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: reference, of: id }));
	}
}

/** A request's body. */
export async function text(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString('utf8');
}
