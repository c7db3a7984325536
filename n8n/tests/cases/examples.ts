import { deepEqual, equal, match } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Place } from '../world/flows';
import { PACKAGE, until } from '../world/parts';
import type { World } from '../world/world';
import { webhook, type Workflow } from '../world/workflow';
import type { Said } from './table';

const EXAMPLES = join(PACKAGE, 'examples');

/** Addresses of the examples, and where they are in the tests. */
const ADDRESSES = ['https://crm.example.com/api/deals', 'https://chat.example.com/hooks/operators'];

/**
 * The examples as they are shipped, with the tests' addresses and credentials. The schedule becomes a webhook, since nobody
 * waits for the morning.
 */
export function exampleFlows(place: Place): Workflow[] {
	return readdirSync(EXAMPLES).map((file) => {
		let text = readFileSync(join(EXAMPLES, file), 'utf8');
		for (const address of ADDRESSES) text = text.replaceAll(address, place.receiver);
		text = text.replaceAll('http://127.0.0.1:8470', place.host);
		text = text.replaceAll('"id": "onceward-approver"', `"id": "${place.approver}"`);
		text = text.replaceAll('"id": "onceward"', `"id": "${place.credential}"`);
		const flow = JSON.parse(text) as Workflow;
		const nodes = flow.nodes.map((node) => (node.type.endsWith('.scheduleTrigger') ? { ...node, ...webhook('digest') } : node));
		return { ...flow, name: file, nodes };
	});
}

/** The examples, run. */
export function examples(world: () => World): void {
	it('a_lead_that_n8n_writes_is_one_deal', async () => {
		const { n8n, receiver } = world();
		const lead = { message_id: 'ex-1', subject: 'A pallet', from: 'ada@example.com', text: 'What is the price?' };
		const [first, again] = [await n8n.deliver('lead-intake-by-n8n', lead), await n8n.deliver('lead-intake-by-n8n', lead)];
		deepEqual([first.status, again.status, (again.body as Said).onceward.duplicate], [200, 200, true]);
		match(String((again.body as Said).result?.deal), /^deal-\d+$/);
		equal(receiver.writes.filter(({ body }) => body.title === 'A pallet').length, 1);
	});

	it('a_lead_whose_answer_from_the_crm_is_lost_waits_for_a_person', async () => {
		const { host, n8n, receiver, token } = world();
		receiver.fault('', 'lose-reply');
		const lead = { message_id: 'ex-lost', subject: 'Lost', from: 'ada@example.com', text: 'Hello' };
		equal((await n8n.deliver('lead-intake-by-n8n', lead)).status, 200);
		const { works } = await host.api<{ works: Array<{ readable_key: string }> }>(token, 'GET', '/v1/works?state=in-doubt&step=crm-deals');
		deepEqual(works.map(({ readable_key: key }) => key), ['crm-deals:v1:ex-lost']);
		equal((await n8n.deliver('lead-intake-by-n8n', lead)).status, 500);
		equal(receiver.writes.filter(({ body }) => body.title === 'Lost').length, 1);
	});

	it('a_lead_that_steps_do_is_one_deal_and_one_result', async () => {
		const { n8n, receiver } = world();
		const lead = { message_id: 'ex-2', email: 'Ada <ada@example.com>', subject: 'Steps', text: 'What is the price?' };
		const [first, again] = [await n8n.deliver('lead-intake-by-steps', lead), await n8n.deliver('lead-intake-by-steps', lead)];
		deepEqual([first.status, again.status], [200, 200]);
		deepEqual((again.body as Said).result, (first.body as Said).result);
		const deals = () => receiver.writes.filter(({ body }) => (body.reference as { message_id?: string } | undefined)?.message_id === 'ex-2');
		await until('the deal is written', () => deals().length > 0 || undefined);
		equal(deals().length, 1);
	});

	it('a_reply_goes_out_once_when_a_person_has_approved_it_twice', async () => {
		const { n8n, receiver } = world();
		const draft = { message_id: 'ex-3', from: 'ada@example.com', draft: 'We will send you an offer today.' };
		const held = (await n8n.deliver('reply-drafts', draft)).body as { result: { row: string } };
		equal((await n8n.deliver('reply-drafts', draft)).status, 200);
		equal(receiver.count('ex-3'), 0);
		const approval = { row: held.result.row, why: 'it reads well' };
		const clicks = [await n8n.deliver('reply-approvals', approval), await n8n.deliver('reply-approvals', approval)];
		deepEqual(clicks.map(({ status }) => status), [200, 200]);
		await until('the reply is sent', () => receiver.count('ex-3') === 1 || undefined);
		equal(receiver.requests('ex-3'), 1);
	});

	it('a_digest_tells_each_dead_letter_with_its_cause', async () => {
		const { n8n, receiver } = world();
		equal((await n8n.deliver('dies', { id: 'ex-dead' })).status, 500);
		equal((await n8n.deliver('digest', {})).status, 200);
		const told = JSON.stringify(receiver.writes.filter(({ body }) => String(body.text).endsWith('dead letters')).at(-1)?.body);
		match(told, /ex-dead/);
		match(told, /cause/);
	});
}
