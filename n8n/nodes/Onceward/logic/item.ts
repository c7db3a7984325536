import type { GenericValue, IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Told, Waiting } from './outcome';
import { told as words, type Problem } from './problem';

/**
 * The member that n8n takes for a failure of the whole node when it stands in the first item: with Retry On Fail it runs
 * everything again. So nothing but a failure may have it.
 */
const FAILURE = 'error';

/** Where an input's own member of that name is put. */
const INPUT_FAILURE = 'inputError';

/** The item that goes on: the input's fields, the result, and what Onceward says. */
export function toItem(input: IDataObject, outcome: Told | Waiting, index: number): INodeExecutionData {
	const json = carried(input);
	if (outcome.kind === 'told' && outcome.result !== undefined) json.result = outcome.result as IDataObject;
	json.onceward = outcome.onceward;
	return { json, pairedItem: { item: index } };
}

/**
 * The item of a failure, where the workflow goes on in spite of it. It has these two members and no others: by them n8n
 * tells which items belong to the error output.
 */
export function toFailure(problem: Problem, index: number): INodeExecutionData {
	const { verdict, title, detail, remedy, retryable, workId } = problem;
	const error: IDataObject = { verdict, title, detail, retryable };
	if (remedy !== undefined) error.remedy = remedy;
	if (workId !== undefined) error.workId = workId;
	return { json: { [FAILURE]: error, message: `${title}: ${words(problem)}` }, pairedItem: { item: index } };
}

/** A value as the ledger keeps it: without what this node has added on the way. */
export function bare(value: GenericValue | IDataObject): GenericValue | IDataObject {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value as IDataObject).filter(([name]) => name !== 'onceward'));
}

function carried(input: IDataObject): IDataObject {
	if (!(FAILURE in input)) return { ...input };
	const { [FAILURE]: failure, ...rest } = input;
	return { ...rest, [INPUT_FAILURE]: failure };
}
