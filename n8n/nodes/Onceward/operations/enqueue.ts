import type { IDataObject } from 'n8n-workflow';
import { bare } from '../logic/item';
import { defined, type Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { holding, under } from './holding';

/** Enqueue a row for each item: the host delivers it, once, or says that it can't know. */
export async function enqueue(run: Run): Promise<Outcome[]> {
	return await run.say('enqueue', {
		request: (index) => ({ ...holding(run, index), ...row(run, index) }),
		read: (body, index) => ({
			kind: 'told',
			lane: 'acquired',
			onceward: under(run, index, defined({ verdict: body.verdict, rowId: body.row_id, rowState: body.state })),
		}),
	});
}

function row(run: Run, index: number): IDataObject {
	const options = run.options(index);
	const reason = options.approvalReason;
	const hours = options.approvalHours;
	const expires = typeof hours === 'number' && hours > 0 ? Math.ceil(hours * 3_600_000) : undefined;
	const approval =
		typeof reason === 'string' && reason !== '' ? defined({ reason, expires_after_ms: expires }) : undefined;
	return defined({
		destination: run.param<string>('destination', index),
		slot: run.param<string>('slot', index),
		payload: bare(run.json('payload', index) as IDataObject),
		effect_version: options.effectVersion,
		ordering_key: options.orderingKey === '' ? undefined : options.orderingKey,
		receipt_step: options.receiptStep === '' ? undefined : options.receiptStep,
		approval,
	});
}
