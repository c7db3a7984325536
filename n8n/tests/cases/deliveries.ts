import { deepEqual, equal, match } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { claim, HELD, type Place } from '../world/flows';
import { until } from '../world/parts';
import { WEBHOOK_SECRET, type World } from '../world/world';
import { onceward, webhook, workflow, write, type Part, type Workflow } from '../world/workflow';

/** The trigger. */
function trigger(place: Place, path: string, parameters: Record<string, unknown>): Part {
	return {
		type: 'n8n-nodes-onceward.oncewardTrigger',
		typeVersion: 1,
		parameters: { path, ...parameters },
		credentials: { oncewardApi: { id: place.credential, name: 'Onceward' } },
		webhookId: path,
	};
}

/** A trigger, and a write of what it delivers, claimed by the event's id. */
function delivered(place: Place, path: string, id: string, parameters: Record<string, unknown>): Workflow {
	const settled = { resource: 'work', operation: 'recordEffect', effect: 'write', reference: '={{ $json.id }}', finish: true };
	return workflow(
		path,
		{
			Trigger: trigger(place, path, parameters),
			Claim: claim(place, { scope: path, eventId: '={{ $json.eventId }}' }),
			Write: write(place.receiver, `$('Trigger').item.json.${id}`),
			Record: onceward(place.credential, { ...settled, ...HELD, result: '={{ $json }}', wait: 30 }),
			Receipt: { type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: receipt() },
		},
		[
			['Trigger', 0, 'Claim'],
			['Claim', 0, 'Write'],
			['Claim', 1, 'Receipt'],
			['Write', 0, 'Record'],
			['Record', 0, 'Receipt'],
		],
	);
}

/** Gives the id of the written record as the receipt's reference. */
function receipt(): Record<string, unknown> {
	const assignment = { id: 'a', name: 'reference', value: '={{ $json.result.id }}', type: 'string' };
	return { assignments: { assignments: [assignment] }, options: {} };
}

/** The workflows of these cases. */
export function deliveryFlows(place: Place): Workflow[] {
	return [
		delivered(place, 'deliveries', 'payload.id', { authentication: 'header', responseMode: 'lastNode' }),
		delivered(place, 'alerts', 'payload.work_id', { authentication: 'header', responseMode: 'onReceived' }),
		delivered(place, 'signed', 'payload.id', { authentication: 'signature', tolerance: 300, responseMode: 'lastNode' }),
		workflow(
			'sends',
			{
				Webhook: webhook('sends'),
				Claim: claim(place, { scope: 'sends' }),
				Enqueue: onceward(place.credential, {
					resource: 'message',
					operation: 'enqueue',
					...HELD,
					destination: 'n8n',
					slot: 'told',
					payload: '={{ { id: $json.body.id } }}',
					wait: 30,
				}),
			},
			[
				['Webhook', 0, 'Claim'],
				['Claim', 0, 'Enqueue'],
			],
		),
	];
}

/** What a host delivers to n8n. */
export function deliveries(world: () => World): void {
	const row = async (id: string) =>
		await world().host.api<{ state: string; attempt: number; external_reference?: string }>(world().token, 'GET', `/v1/rows/${id}`);
	const enqueued = async (id: string) => ((await world().n8n.deliver('sends', { id })).body as { onceward: { rowId: string } }).onceward.rowId;

	it('a_row_starts_a_workflow_and_the_host_keeps_the_reference_that_it_answers', async () => {
		const id = await enqueued('tr-1');
		const sent = await until('the row is sent', async () => await row(id).then((found) => (found.state === 'sent' ? found : undefined)));
		match(sent.external_reference ?? '', /^deal-\d+$/);
		deepEqual([sent.attempt, world().receiver.count('tr-1')], [1, 1]);
	});

	it('a_row_whose_answer_came_too_late_is_delivered_again_and_written_once', async () => {
		const { receiver } = world();
		const open = receiver.hold('tr-2');
		const id = await enqueued('tr-2');
		await until('the host has given up waiting for the first answer', async () => ((await row(id)).attempt >= 2) || undefined);
		open();
		const sent = await until('the row is sent', async () => await row(id).then((found) => (found.state === 'sent' ? found : undefined)));
		match(sent.external_reference ?? '', /^deal-\d+$/);
		equal(receiver.count('tr-2'), 1);
	});

	it('an_alert_about_a_dead_work_starts_a_workflow_and_its_receipt_is_the_execution', async () => {
		const { host, n8n, receiver, token, workflows } = world();
		equal((await n8n.deliver('dies', { id: 'al-1' })).status, 500);
		const { works } = await host.api<{ works: Array<{ work_id: string; readable_key: string }> }>(token, 'GET', '/v1/works?state=dead&step=traps');
		const dead = works.find(({ readable_key: key }) => key.endsWith('al-1'))?.work_id ?? '';
		await until('the alert is written', () => receiver.count(dead) === 1 || undefined);
		const { rows } = await host.api<{ rows: Array<{ external_reference?: string }> }>(token, 'GET', `/v1/rows?destination=alerts&work=${dead}`);
		const ids = (await n8n.executions(workflows.get('alerts') ?? '')).map(({ id }) => id);
		equal(ids.includes(rows[0]?.external_reference ?? ''), true);
	});

	it('a_signed_call_is_taken_and_taking_it_twice_writes_once', async () => {
		const { n8n, receiver } = world();
		const [body, answers] = ['{ "id": "sg-1" }', [] as number[]];
		for (let times = 0; times < 2; times += 1) answers.push((await n8n.deliver('signed', body, sign('msg-1', now(), body))).status);
		deepEqual([answers, receiver.count('sg-1')], [[200, 200], 1]);
	});

	for (const [what, headers] of [
		['a_forged_signature', () => sign('msg-2', now(), '{ "id": "other" }')],
		['an_old_signature', () => sign('msg-2', now() - 600, '{ "id": "sg-2" }')],
		['no_signature', () => ({})],
	] as const) {
		it(`${what}_is_refused_and_starts_nothing`, async () => {
			const { n8n, receiver, workflows } = world();
			const before = (await n8n.executions(workflows.get('signed') ?? '')).length;
			const { status, body } = await n8n.deliver('signed', '{ "id": "sg-2" }', headers());
			deepEqual([status, (body as { title: string }).title], [401, 'The delivery is not proved']);
			deepEqual([receiver.count('sg-2'), (await n8n.executions(workflows.get('signed') ?? '')).length], [0, before]);
		});
	}

	it('a_delivery_without_the_hosts_authorization_is_refused', async () => {
		const { n8n, receiver } = world();
		const wrong = await n8n.deliver('deliveries', { id: 'un-1' }, { authorization: 'whsec_other', 'idempotency-key': 'k' });
		const keyless = await n8n.deliver('deliveries', { id: 'un-1' }, { authorization: WEBHOOK_SECRET });
		deepEqual([wrong.status, keyless.status, receiver.count('un-1')], [401, 400, 0]);
	});
}

/** The headers of Standard Webhooks 1.0, as its specification has them. */
function sign(id: string, at: number, body: string): Record<string, string> {
	const key = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
	const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
	return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1a,other v1,${signature}` };
}

function now(): number {
	return Math.floor(Date.now() / 1_000);
}
