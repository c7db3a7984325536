import type { IDataObject, IExecuteFunctions, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import { batches } from './logic/batches';
import { problemOf, unreachable, type Problem } from './logic/problem';

/** The credential's name. */
export const CREDENTIAL = 'oncewardApi';

/** How much longer than the host's own waiting a request may take, in milliseconds. */
const MARGIN_MS = 30_000;

/** An answer: what the host says, or why there is none. */
export type Answer = { ok: true; status: number; body: IDataObject; replayed: boolean } | { ok: false; problem: Problem };

/** A request of the API. */
export interface Ask {
	method: IHttpRequestMethods;
	path: string;
	query?: IDataObject;
	body?: IDataObject;
	headers?: IDataObject;
	/** How long the host itself may wait before it answers, in milliseconds. */
	waitMs?: number;
}

/** The API of one host, as the credential opens it. */
export class Api {
	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly base: string,
	) {}

	/** The host of the node's credential. */
	static async of(context: IExecuteFunctions): Promise<Api> {
		const { baseUrl } = await context.getCredentials<{ baseUrl: string }>(CREDENTIAL);
		return new Api(context, baseUrl.replace(/\/+$/, ''));
	}

	/** Ask once. Only a cancelled execution throws. */
	async ask({ method, path, query, body, headers, waitMs }: Ask): Promise<Answer> {
		const cancelled = this.context.getExecutionCancelSignal();
		const request: IHttpRequestOptions = {
			method,
			url: `${this.base}${path}`,
			qs: query,
			body,
			headers,
			json: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: (waitMs ?? 0) + MARGIN_MS,
			abortSignal: cancelled,
		};
		try {
			const { helpers } = this.context;
			const response = await helpers.httpRequestWithAuthentication.call(this.context, CREDENTIAL, request);
			return answerOf(response.statusCode, response.body, response.headers);
		} catch (error) {
			cancelled?.throwIfAborted();
			return { ok: false, problem: unreachable(error instanceof Error ? error.message : String(error)) };
		}
	}

	/** Ask for one primitive many times, in as few requests as possible; the answers in the order of what was asked. */
	async bulk(
		primitive: string,
		items: readonly IDataObject[],
		how: Pick<Ask, 'waitMs'> = {},
	): Promise<Answer[]> {
		const answers: Answer[] = [];
		for (const batch of batches(items)) {
			const path = `/v1/primitives/${primitive}/bulk`;
			const answer = await this.ask({ method: 'POST', path, body: { items: batch }, ...how });
			answers.push(...each(answer, batch.length));
		}
		return answers;
	}
}

function answerOf(status: number, body: unknown, headers: IDataObject | undefined): Answer {
	if (status < 200 || status > 299 || typeof body !== 'object' || body === null) {
		return { ok: false, problem: problemOf(status, body) };
	}
	return { ok: true, status, body: body as IDataObject, replayed: headers?.['onceward-replayed'] === 'true' };
}

/** A bulk's answer, item by item. One that could not be answered as a whole is each item's problem. */
function each(answer: Answer, count: number): Answer[] {
	const items = answer.ok ? answer.body.items : undefined;
	if (!Array.isArray(items) || items.length !== count) {
		const problem = answer.ok ? problemOf(answer.status, undefined) : answer.problem;
		return Array.from({ length: count }, () => ({ ok: false, problem }));
	}
	return (items as IDataObject[]).map(({ status, body }) => answerOf(status as number, body, undefined));
}
