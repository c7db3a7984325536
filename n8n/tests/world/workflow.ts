import { randomUUID } from 'node:crypto';

/** A node, as a workflow's JSON has it. */
export interface Node {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	[setting: string]: unknown;
}

/** A workflow, as n8n imports it. */
export interface Workflow {
	name: string;
	nodes: Node[];
	connections: Record<string, { main: Array<Array<{ node: string; type: 'main'; index: 0 }>> }>;
	settings: Record<string, unknown>;
}

/** A node without its name and place. */
export type Part = Pick<Node, 'type' | 'typeVersion' | 'parameters'> & Record<string, unknown>;

/** From which node, by which output, to which node. */
export type Wire = [from: string, output: number, to: string];

/** A workflow of these nodes, in a row. */
export function workflow(name: string, parts: Record<string, Part>, wires: Wire[]): Workflow {
	const nodes = Object.entries(parts).map(([named, part], place): Node => {
		const { type, typeVersion, parameters, ...settings } = part;
		return { id: randomUUID(), name: named, type, typeVersion, position: [place * 220, 0], parameters, ...settings };
	});
	const connections: Workflow['connections'] = {};
	for (const [from, output, to] of wires) {
		const main = (connections[from] ??= { main: [] }).main;
		while (main.length <= output) main.push([]);
		main[output]?.push({ node: to, type: 'main', index: 0 });
	}
	return { name, nodes, connections, settings: { executionOrder: 'v1', saveDataSuccessExecution: 'all' } };
}

/** Our node. */
export function onceward(credential: string, parameters: Record<string, unknown>, settings: Record<string, unknown> = {}): Part {
	return {
		type: 'n8n-nodes-onceward.onceward',
		typeVersion: 1,
		parameters,
		credentials: { oncewardApi: { id: credential, name: 'Onceward' } },
		...settings,
	};
}

/** A webhook that answers with what the last node gives. */
export function webhook(path: string): Part {
	const parameters = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	return { type: 'n8n-nodes-base.webhook', typeVersion: 2, parameters, webhookId: randomUUID() };
}

/** A write by n8n itself, of the body `{id}`. */
export function write(url: string, id: string, settings: Record<string, unknown> = {}): Part {
	const parameters = { method: 'POST', url, sendBody: true, specifyBody: 'json', jsonBody: `={{ { id: ${id} } }}`, options: {} };
	return { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters, ...settings };
}

/** Some JavaScript over all items. */
export function code(jsCode: string): Part {
	return { type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** A place where branches meet. */
export function meet(): Part {
	return { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };
}
