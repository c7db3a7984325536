import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrange, withFailures, type Split } from '../../nodes/Onceward/arrange';
import { BULK_ITEMS_MOST, batches } from '../../nodes/Onceward/logic/batches';
import { toItem } from '../../nodes/Onceward/logic/item';
import { refused, type Outcome } from '../../nodes/Onceward/logic/outcome';
import { Patience } from '../../nodes/Onceward/logic/patience';
import { problemOf, told, unreachable } from '../../nodes/Onceward/logic/problem';
import { invoked } from '../../nodes/Onceward/logic/verdict';

/** An answer of the host that is no success. */
const problem = (verdict: string, retryable = false) => problemOf(409, { verdict, title: 'T', detail: 'it is so', remedy: 'do this', retryable });

describe('verdicts', () => {
	it('an_item_goes_out_where_its_verdict_says', () => {
		const first: Outcome = { kind: 'told', lane: 'acquired', onceward: {} };
		const repeat: Outcome = { kind: 'told', lane: 'done', onceward: {} };
		const busy = refused(problem('in-progress', true));
		const check = (split: Split, outcome: Outcome, expected: number | 'failed') => {
			const { outputs, failed } = arrange([{ json: {} }], [outcome], split);
			const at = failed.length > 0 ? 'failed' : outputs.findIndex((items) => items.length > 0);
			equal(at, expected, `${split}: ${JSON.stringify(outcome)}`);
		};
		for (const split of ['one', 'two', 'three'] as const) check(split, first, 0);
		check('one', repeat, 0);
		check('two', repeat, 1);
		check('three', repeat, 1);
		check('one', busy, 'failed');
		check('two', busy, 'failed');
		check('three', busy, 2);
		for (const verdict of ['mismatch', 'dead', 'rejected', 'lease-lost']) check('three', refused(problem(verdict)), 'failed');
		for (const verdict of ['in-review', 'in-doubt', 'paused']) check('three', refused(problem(verdict)), 2);
	});

	it('a_failure_never_leaves_by_the_first_of_several_outputs', () => {
		const outcomes: Outcome[] = [{ kind: 'failed', problem: problem('mismatch') }];
		const outputs = withFailures(arrange([{ json: {} }], outcomes, 'two'));
		deepEqual(outputs.map((items) => items.length), [0, 1]);
		// By these two members n8n tells the items of an error output.
		deepEqual(Object.keys(outputs[1]?.[0]?.json ?? {}), ['error', 'message']);
	});

	it('nothing_but_a_failure_has_a_member_error_and_each_item_keeps_its_place', () => {
		const item = toItem({ a: 1, error: null }, { kind: 'told', lane: 'done', result: { error: 'x' }, onceward: { duplicate: true } }, 3);
		deepEqual(item, { json: { a: 1, inputError: null, result: { error: 'x' }, onceward: { duplicate: true } }, pairedItem: { item: 3 } });
	});

	it('an_invocation_is_read_by_its_verdict', () => {
		const body = { verdict: 'done', work_id: 'w', key: 'k', state: 'done', output: 7 };
		const check = (status: number, verdict: string, expected: unknown) => {
			const outcome = invoked(status, { ...body, verdict });
			deepEqual(outcome.kind === 'told' ? [outcome.lane, outcome.result] : [outcome.kind], expected, verdict);
		};
		check(200, 'done', ['acquired', 7]);
		check(200, 'read', ['acquired', 7]);
		check(200, 'replay', ['done', 7]);
		check(202, 'in-progress', ['waiting']);
		check(202, 'in-review', ['waiting']);
	});

	it('a_problem_is_told_with_detail_and_remedy', () => {
		equal(told(problem('mismatch')), 'It is so. Do this.');
		equal(told(unreachable('connect ECONNREFUSED')).startsWith('Connect ECONNREFUSED. What was asked for may have been done.'), true);
	});

	it('an_answer_that_is_not_onceward_s_is_retried_by_its_status_alone', () => {
		for (const [status, retryable] of [[502, true], [429, true], [404, false], [200, false]] as const) {
			deepEqual([problemOf(status, '<html>').retryable, problemOf(status, '<html>').verdict], [retryable, 'not-onceward']);
		}
	});
});

describe('bulk calls', () => {
	it('items_go_in_as_few_calls_as_the_host_takes_and_keep_their_order', () => {
		const items = Array.from({ length: 600 }, (_, at) => at);
		deepEqual(batches(items).map((batch) => batch.length), [BULK_ITEMS_MOST, BULK_ITEMS_MOST, 88]);
		deepEqual(batches(items).flat(), items);
		deepEqual(batches(['x'.repeat(200_000), 'y'.repeat(200_000), 'z']).map((batch) => batch.length), [1, 2]);
		deepEqual(batches([]), []);
	});
});

describe('waiting', () => {
	it('a_wait_is_bounded_and_its_pauses_grow', async () => {
		let now = 0;
		const pauses: number[] = [];
		const pause = async (ms: number) => {
			pauses.push(ms);
			now += ms;
		};
		const patience = new Patience({ now: () => now, pause }, 5);
		while (await patience.another(600_000));
		deepEqual(pauses, [200, 400, 800, 1_600, 2_000]);
		equal(now, 5_000);
	});

	it('without_a_wait_there_is_no_pause_and_a_cancelled_one_ends_it', async () => {
		const never = async () => await Promise.reject(new Error('cancelled'));
		equal(await new Patience({ now: () => 0, pause: never }, 0).another(), false);
		await new Patience({ now: () => 0, pause: never }, 9).another().then(
			() => { throw new Error('it went on'); },
			(error: Error) => equal(error.message, 'cancelled'),
		);
	});
});
