import type { IDataObject } from 'n8n-workflow';

/** How Onceward says no (RFC 9457), and what the node adds where there is no answer. */
export interface Problem {
	/** The stable word, such as `mismatch`. */
	verdict: string;
	title: string;
	detail: string;
	remedy?: string;
	/** Whether sending the same again can help. */
	retryable: boolean;
	status?: number;
	workId?: string;
	retryAfterMs?: number;
	requestId?: string;
}

/** Statuses after which the same request may get through, where the body does not say. */
const PASSING_STATUSES = [408, 425, 429, 500, 502, 503, 504];

/** What an answer that is no success says. */
export function problemOf(status: number, body: unknown): Problem {
	const said = typeof body === 'object' && body !== null ? (body as IDataObject) : {};
	if (typeof said.verdict !== 'string' || typeof said.title !== 'string') return foreign(status);
	return {
		verdict: said.verdict,
		title: said.title,
		detail: text(said.detail) ?? '',
		remedy: text(said.remedy),
		retryable: said.retryable === true,
		status,
		workId: text(said.work_id),
		retryAfterMs: typeof said.retry_after_ms === 'number' ? said.retry_after_ms : undefined,
		requestId: text(said.request_id),
	};
}

/** The problem of a request that got no answer. */
export function unreachable(cause: string): Problem {
	return {
		verdict: 'unreachable',
		title: 'Onceward gave no answer',
		detail: `${cause}. What was asked for may have been done.`,
		remedy: 'Run it again: a repeat is recognised. If it stays so, check the Base URL of the credential and whether the host runs.',
		retryable: true,
	};
}

/** The problem in one text, for a person. */
export function told(problem: Problem): string {
	return [problem.detail, problem.remedy].filter((part) => part !== undefined && part !== '').map(sentence).join(' ');
}

/** An answer that is not Onceward's, such as that of a proxy before it. */
function foreign(status: number): Problem {
	const retryable = PASSING_STATUSES.includes(status);
	return {
		verdict: 'not-onceward',
		title: `HTTP ${status}, and not from Onceward`,
		detail: 'The answer is no problem document of Onceward; a proxy may have given it',
		remedy: 'Check the Base URL of the credential, and what stands between n8n and Onceward.',
		retryable,
		status,
	};
}

function text(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function sentence(part: string | undefined): string {
	const trimmed = (part ?? '').trim();
	const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
	return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
