import { Line } from './line';
import { N8n } from './n8n';
import { Onceward, step } from './onceward';
import { Receiver } from './receiver';
import type { Place } from './flows';
import type { Workflow } from './workflow';

/** Everything that a test acts on, all of it real. */
export interface World {
	receiver: Receiver;
	line: Line;
	host: Onceward;
	n8n: N8n;
	place: Place;
	/** The token of n8n's credential. */
	token: string;
	/** The ids of the published workflows, by their names. */
	workflows: Map<string, string>;
}

/** What deliveries to n8n are proved with. */
export const WEBHOOK_SECRET = 'whsec_dGhlLXNlY3JldC1vZi10aGUtdGVzdHM=';

/** Start everything, and publish the workflows. */
export async function start(flows: (place: Place) => Workflow[]): Promise<World> {
	const [receiver, line, n8n] = [await Receiver.start(), await Line.start(), await N8n.prepare()];
	const host = await Onceward.start(configuration(receiver.url, n8n.url), { N8N_HOOK: WEBHOOK_SECRET });
	line.port = host.port;
	const token = host.token('n8n', 'invoke,primitives,operate');
	await n8n.start();
	const credential = await n8n.credential('Onceward', { baseUrl: `${line.url}/`, token, webhookSecret: WEBHOOK_SECRET });
	const person = { baseUrl: host.url, token: host.token('approver', 'approve', 'Grace'), webhookSecret: '' };
	const approver = await n8n.credential('Onceward (approver)', person);
	const place = { credential, approver, receiver: receiver.url, host: host.url };
	const workflows = new Map<string, string>();
	for (const flow of flows(place)) workflows.set(flow.name, await n8n.publish(flow));
	return { receiver, line, host, n8n, place, token, workflows };
}

/** Stop everything. */
export async function stop({ receiver, line, host, n8n }: World): Promise<void> {
	await n8n.kill();
	await host.kill();
	await line.stop();
	await receiver.stop();
}

/** How a host is set up whose messages go to the receiver and to n8n, and whose alerts go to n8n. */
function configuration(receiver: string, n8n: string): string {
	const quick = 'retry = { base_ms = 20, ceiling_ms = 200, attempts_max = 100 }';
	const http = 'kind = "http"\ntier = "key"\nallow_private_addresses = true\nbreaker = { failures = 0 }';
	const stepped = (name: string, more: string) => `[[step]]\nplugin = ${JSON.stringify(step(name))}\n${more}`;
	return [
		'flow = ["lead-intake", "lead-classifier", "crm-writer"]',
		stepped('enqueues', `destinations = ["crm"]\n${quick}`),
		stepped('echo', quick),
		stepped('traps', 'retry = { base_ms = 20, ceiling_ms = 20, attempts_max = 1 }'),
		stepped('lead_intake', quick),
		stepped('lead_classifier', `models = ["classifier"]\n${quick}`),
		stepped('crm_writer', `destinations = ["crm"]\n${quick}`),
		'[model.classifier]\nkind = "scripted"\nrules = "model.rules.json"',
		`[destination.crm]\nurl = "${receiver}/any/deals"\nreference = "/id"\n${http}\n${quick}`,
		`[destination.messages]\nurl = "${receiver}/any/messages"\nreference = "/id"\n${http}\n${quick}`,
		`[destination.n8n]\nurl = "${n8n}/webhook/deliveries"\nreference = "/0/reference"\nauthorization = { env = "N8N_HOOK" }`,
		`request_timeout_ms = 2000\nlease_ms = 13000\n${http}\n${quick}`,
		`[destination.alerts]\nurl = "${n8n}/webhook/alerts"\nreference = "/id"\nauthorization = { env = "N8N_HOOK" }\n${http}\n${quick}`,
		'[alerts]\ndestination = "alerts"\n',
	].join('\n');
}
