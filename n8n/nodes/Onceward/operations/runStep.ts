import type { IDataObject } from 'n8n-workflow';
import { eventKey } from '../logic/identity';
import { defined, refused, type Outcome } from '../logic/outcome';
import { invoked } from '../logic/verdict';
import { bare } from '../logic/item';
import type { Run } from '../run';
import { inTurn } from './inTurn';

/** A step and the event that it is run on. */
interface Invocation {
	step: string;
	event: IDataObject;
	quarantine: boolean;
}

/**
 * Run a step on each item, or get its first result. The host has no bulk for it, so that items go beside each other, a few at
 * a time; two of one identity attach to the same work.
 */
export async function runStep(run: Run): Promise<Outcome[]> {
	return await inTurn(run.indices(), async (index) => {
		const asked = run.asked(index, (place) => invocation(run, place));
		return 'outcome' in asked ? asked.outcome : await invoke(run, asked.request);
	});
}

/** Ask until there is a result, or the wait is over. The same event is the same work, however often it is asked for. */
async function invoke(run: Run, { step, event, quarantine }: Invocation): Promise<Outcome> {
	const patience = run.patience();
	for (;;) {
		const waitMs = patience.left();
		const answer = await run.api.ask({
			method: 'POST',
			path: `/v1/steps/${encodeURIComponent(step)}/invoke`,
			query: { wait: waitMs / 1_000, ...(quarantine ? { quarantine } : {}) },
			body: event,
			waitMs,
		});
		const outcome = answer.ok ? invoked(answer.status, answer.body) : refused(answer.problem);
		const mayPass = outcome.kind !== 'told' && outcome.kind !== 'listed' && outcome.problem.retryable;
		if (!mayPass || !(await patience.another(outcome.problem.retryAfterMs))) return outcome;
	}
}

function invocation(run: Run, index: number): Invocation {
	const options = run.options(index);
	const byEvent = run.param<string>('identifyBy', index) === 'eventId';
	const event = defined({
		source: run.param<string>('source', index),
		id: byEvent ? eventKey(run.param<unknown>('eventId', index), run.context.getExecutionId()) : undefined,
		time: options.occurredAt === '' ? undefined : options.occurredAt,
		data: bare(run.json('payload', index) as IDataObject),
	});
	return { step: run.param<string>('step', index), event, quarantine: options.quarantine === true };
}
