import type { IDataObject } from 'n8n-workflow';
import { ItemError } from '../logic/itemError';
import type { Run } from '../run';

/** The claim that an item is under, as its parameters name it. */
export function holding(run: Run, index: number): { work: string; token: number } {
	const work = run.param<unknown>('workId', index);
	const token = Number(run.param<unknown>('claimNumber', index));
	if (typeof work !== 'string' || work === '' || !Number.isSafeInteger(token) || token <= 0) {
		throw new ItemError(
			'bad-parameter',
			'The item has no claim: Work ID or Claim Number is missing',
			"Take both from the Claim node's output, for example {{ $('Claim').item.json.onceward.workId }}: the nodes in between may have replaced the item's fields.",
		);
	}
	return { work, token };
}

/** What goes on with the item, so that the next node finds the claim too. */
export function under(run: Run, index: number, members: IDataObject): IDataObject {
	const { work, token } = holding(run, index);
	return { duplicate: false, workId: work, token, ...members };
}
