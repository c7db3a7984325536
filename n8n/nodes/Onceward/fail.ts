import {
	NodeApiError,
	NodeError,
	NodeOperationError,
	type IExecuteFunctions,
	type JsonObject,
} from 'n8n-workflow';
import type { Arranged } from './arrange';
import { told, type Problem } from './logic/problem';

/** Problems that the host was never asked about. */
const OWN = ['no-identity', 'bad-parameter'];

/** The error of a node whose items failed: that of the first one, and how many others there are. */
export function failure(context: IExecuteFunctions, failed: Arranged['failed']): NodeApiError | NodeOperationError {
	const [first, ...others] = failed;
	if (first === undefined) throw new RangeError('nothing has failed');
	const { index, failed: { problem } } = first;
	const more = others.length === 0 ? '' : ` (${others.length} more of the ${context.getInputData().length} items failed.)`;
	const description = `${told(problem)}${more}`;
	return errorOf(context, problem, { itemIndex: index, description });
}

/** An error as n8n shows it best. A cancelled execution's is left as it is: n8n knows it by its class. */
export function asNodeError(context: IExecuteFunctions, error: unknown): Error {
	if (error instanceof NodeError || context.getExecutionCancelSignal()?.aborted) return error as Error;
	return new NodeOperationError(context.getNode(), error instanceof Error ? error : String(error));
}

function errorOf(
	context: IExecuteFunctions,
	problem: Problem,
	{ itemIndex, description }: { itemIndex: number; description: string },
): NodeApiError | NodeOperationError {
	const node = context.getNode();
	if (OWN.includes(problem.verdict) && problem.status === undefined) {
		return new NodeOperationError(node, problem.detail, { description: problem.remedy, itemIndex });
	}
	const httpCode = problem.status === undefined ? undefined : String(problem.status);
	return new NodeApiError(node, { ...problem } as unknown as JsonObject, {
		message: problem.title,
		description,
		httpCode,
		itemIndex,
	});
}
