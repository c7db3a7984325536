import type { IDataObject } from 'n8n-workflow';
import { bare } from '../logic/item';
import type { Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { holding, under } from './holding';

/** End each item's claim. */
export async function release(run: Run): Promise<Outcome[]> {
	return await run.say('release', {
		request: (index) => ({ ...holding(run, index), outcome: ending(run, index) }),
		read: (body, index) => ended(run, body, index),
	});
}

function ending(run: Run, index: number): IDataObject {
	const outcome = run.param<string>('outcome', index);
	if (outcome === 'done') return { done: { output: result(run, index) } };
	const cause = run.param<string>('cause', index);
	if (outcome !== 'retry') return { [outcome]: { cause } };
	const due = run.param<number>('dueInSeconds', index, 0);
	return { retry: { cause, due_in_ms: Math.max(0, Math.round(due * 1_000)) } };
}

function ended(run: Run, body: IDataObject, index: number): Outcome {
	const outcome = run.param<string>('outcome', index);
	if (outcome === 'retry' && run.param<boolean>('thenFail', index, false)) return again(run, body, index);
	const onceward = under(run, index, { verdict: body.verdict ?? 'applied', outcome });
	return { kind: 'told', lane: 'acquired', onceward, ...(outcome === 'done' ? { result: result(run, index) } : {}) };
}

/** The claim is free, and whoever sent the event must be told that nothing was done, so that it sends it again. */
function again(run: Run, body: IDataObject, index: number): Outcome {
	return {
		kind: 'failed',
		problem: {
			verdict: 'released',
			title: 'Released, to be done again',
			detail: run.param<string>('cause', index),
			remedy: 'Deliver the event again, or retry the execution: its next claim gets the work.',
			retryable: true,
			workId: typeof body.work_id === 'string' ? body.work_id : undefined,
		},
	};
}

function result(run: Run, index: number): IDataObject {
	return bare((run.json('result', index) ?? null) as IDataObject) as IDataObject;
}
