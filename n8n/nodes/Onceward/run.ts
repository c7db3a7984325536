import {
	jsonParse,
	sleepWithAbort,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { Api, type Answer } from './api';
import { ItemError } from './logic/itemError';
import { refused, type Outcome } from './logic/outcome';
import { Patience } from './logic/patience';
import type { Problem } from './logic/problem';

/** One execution of the node: its items, its parameters, and the host that it asks. */
export class Run {
	readonly items: INodeExecutionData[];

	constructor(
		readonly context: IExecuteFunctions,
		readonly api: Api,
	) {
		this.items = context.getInputData();
	}

	/** A parameter of an item. */
	param<T>(name: string, index: number, fallback?: T): T {
		return this.context.getNodeParameter(name, index, fallback) as T;
	}

	/** A parameter of JSON, which is a value where an expression made it and a text where a person typed it. */
	json(name: string, index: number): unknown {
		return parsed(name, this.param<unknown>(name, index));
	}

	/** An item's optional settings. */
	options(index: number): IDataObject {
		return this.param<IDataObject>('options', index, {});
	}

	/** The wait that the first item allows, begun now. */
	patience(): Patience {
		const signal = this.context.getExecutionCancelSignal();
		const time = { now: () => Date.now(), pause: async (ms: number) => await sleepWithAbort(ms, signal) };
		return new Patience(time, this.param<number>('wait', 0, 0));
	}

	/** What an item asks for; or the outcome where it can't be made out. */
	asked<T>(index: number, read: (index: number) => T): { request: T } | { outcome: Outcome } {
		try {
			return { request: read(index) };
		} catch (error) {
			return { outcome: { kind: 'failed', problem: unusable(error) } };
		}
	}

	/**
	 * Say a primitive for these items, all in one bulk call. What may get through at another try is said again until the wait
	 * is over: under a claim's token it is the same act.
	 */
	async say(primitive: string, speech: Speech, indices: readonly number[] = this.indices()): Promise<Outcome[]> {
		const outcomes: Outcome[] = [];
		const requests: IDataObject[] = [];
		let open: number[] = [];
		for (const index of indices) {
			const asked = this.asked(index, speech.request);
			if ('outcome' in asked) {
				outcomes[index] = asked.outcome;
			} else {
				requests[index] = asked.request;
				open.push(index);
			}
		}
		const patience = this.patience();
		while (open.length > 0) {
			const said = open.map((index) => requests[index] ?? {});
			const answers = await this.api.bulk(primitive, said, { waitMs: speech.waitMs });
			answers.forEach((answer, place) => {
				const index = open[place] ?? 0;
				outcomes[index] = answer.ok ? speech.read(answer.body, index) : refused(answer.problem);
			});
			open = open.filter((_, place) => mayPass(answers[place]));
			if (!(await patience.another())) break;
		}
		return outcomes;
	}

	/** The places of all items. */
	indices(): number[] {
		return [...this.items.keys()];
	}
}

/** How a primitive is said, and how its answers are read. */
export interface Speech {
	request(index: number): IDataObject;
	read(answer: IDataObject, index: number): Outcome;
	/** How long the host may take to answer, in milliseconds, where it asks others. */
	waitMs?: number;
}

/** Whether the same may get through at another try. */
export function mayPass(answer: Answer | undefined): boolean {
	return answer !== undefined && !answer.ok && answer.problem.retryable;
}

/** JSON, as a value. */
export function parsed(name: string, value: unknown): unknown {
	if (typeof value !== 'string') return value;
	const nothing = {};
	const read = jsonParse<unknown>(value, { fallbackValue: nothing });
	if (read !== nothing) return read;
	throw new ItemError('bad-parameter', `"${name}" is no JSON`, 'Enter a JSON value; a text stands in double quotes.');
}

/** What an item asks for can't be made out: it is the item's or the workflow's fault, and the host was not asked. */
function unusable(error: unknown): Problem {
	const known = error instanceof ItemError ? error : undefined;
	return {
		verdict: known?.verdict ?? 'bad-parameter',
		title: "The item can't be sent",
		detail: error instanceof Error ? error.message : String(error),
		remedy: known?.remedy ?? 'Correct the parameter or the item.',
		retryable: false,
	};
}
