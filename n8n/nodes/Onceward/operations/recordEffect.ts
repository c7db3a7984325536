import type { IDataObject } from 'n8n-workflow';
import { bare } from '../logic/item';
import { defined, type Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { holding, under } from './holding';

/** Say of each item that its effect has happened, and end its claim as done where that is wanted. */
export async function recordEffect(run: Run): Promise<Outcome[]> {
	const outcomes = await run.say('record-effect', {
		request: (index) => ({
			...holding(run, index),
			...defined({
				effect: run.param<string>('effect', index),
				reference: reference(run.param<unknown>('reference', index, '')),
			}),
		}),
		read: (body, index) => recorded(run, body, index),
	});
	const finishing = run
		.indices()
		.filter((index) => outcomes[index]?.kind === 'told' && run.param<boolean>('finish', index));
	const results = finishing.length === 0 ? [] : await finish(run, finishing, outcomes);
	return outcomes.map((outcome, index) => results[index] ?? outcome);
}

/** End the claims of these items as done. */
async function finish(run: Run, indices: readonly number[], recorded: readonly Outcome[]): Promise<Outcome[]> {
	const result = (index: number) => bare(run.json('result', index) as IDataObject);
	return await run.say(
		'release',
		{
			request: (index) => ({ ...holding(run, index), outcome: { done: { output: result(index) ?? null } } }),
			read: (_, index) => {
				const before = recorded[index];
				const said = before?.kind === 'told' ? before.onceward : {};
				return { kind: 'told', lane: 'acquired', result: result(index), onceward: { ...said, state: 'done' } };
			},
		},
		indices,
	);
}

function recorded(run: Run, body: IDataObject, index: number): Outcome {
	const { verdict, work_id: workId, effect, reference: stands, state } = body;
	if (verdict === 'late') {
		return {
			kind: 'failed',
			problem: {
				verdict: 'late',
				title: 'The effect was recorded after the claim had ended',
				detail: `The effect "${String(effect)}" is on record, and the work is ${String(state)}`,
				remedy: 'Do not go on, and claim longer next time. An operator finds out what happened meanwhile and resolves the work.',
				retryable: false,
				workId: String(workId),
			},
		};
	}
	return {
		kind: 'told',
		lane: 'acquired',
		onceward: under(run, index, defined({ verdict, effect, reference: stands })),
	};
}

/** An id that the third party gave. Many give numbers. */
function reference(value: unknown): string | undefined {
	return value === '' || value === undefined || value === null ? undefined : String(value);
}
