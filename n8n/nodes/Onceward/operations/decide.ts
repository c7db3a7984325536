import type { IDataObject } from 'n8n-workflow';
import { defined, type Outcome } from '../logic/outcome';
import { parsed, type Run } from '../run';
import { holding, under } from './holding';

/** How long a host may ask its models for one bulk, in milliseconds. */
const ASKING_MS = 300_000;

/** The answer that each item's slot has. */
export async function recall(run: Run): Promise<Outcome[]> {
	return await run.say('recall', {
		request: (index) => ({ ...holding(run, index), slot: run.param<string>('slot', index) }),
		read: (body, index) => decided(run, body, index),
	});
}

/** Keep an answer for each item's slot. The first one stands. */
export async function store(run: Run): Promise<Outcome[]> {
	return await run.say('store', {
		request: (index) => ({ ...question(run, index), answer: run.json('answer', index) as IDataObject }),
		read: (body, index) => decided(run, body, index),
	});
}

/** Have each item's question answered once by a model of the host. */
export async function ask(run: Run): Promise<Outcome[]> {
	return await run.say('decide', {
		request: (index) => question(run, index),
		read: (body, index) => decided(run, body, index),
		waitMs: ASKING_MS,
	});
}

function question(run: Run, index: number): IDataObject {
	const { schema, temperature } = run.options(index);
	return {
		...holding(run, index),
		slot: run.param<string>('slot', index),
		model: run.param<string>('model', index),
		prompt_version: run.param<string>('promptVersion', index),
		prompt: run.param<string>('prompt', index, ''),
		input: run.json('input', index) as IDataObject,
		...defined({ temperature, schema: schema === '' ? undefined : parsed('Answer Schema', schema) }),
	};
}

function decided(run: Run, body: IDataObject, index: number): Outcome {
	const { verdict, slot, origin, answer } = body;
	const duplicate = origin === 'cached' || origin === 'pinned';
	return {
		kind: 'told',
		lane: 'acquired',
		result: answer,
		onceward: under(run, index, defined({ verdict, duplicate, slot, origin })),
	};
}
