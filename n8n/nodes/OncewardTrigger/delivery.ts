import type { IDataObject } from 'n8n-workflow';

/** Kinds of alerts: the state in which a work or a row has stopped. */
const STOPS = ['dead', 'in-doubt', 'review', 'blocked'];

/**
 * The item of a delivery. A host sends alerts as rows like any other: they are known by their members, since they say what
 * has stopped and the command that helps.
 */
export function delivered(id: string, body: unknown, signedAt?: string): IDataObject {
	const payload = (body ?? null) as IDataObject;
	return { eventId: id, kind: isAlert(body) ? 'alert' : 'delivery', payload, ...(signedAt === undefined ? {} : { signedAt }) };
}

/** How a call is refused (RFC 9457). */
export function refusal(status: number, why: string): IDataObject {
	return {
		type: 'about:blank',
		title: status === 401 ? 'The delivery is not proved' : 'The delivery can\'t be read',
		status,
		detail: why,
	};
}

function isAlert(body: unknown): boolean {
	if (typeof body !== 'object' || body === null) return false;
	const { kind, work_id: workId, remedy } = body as IDataObject;
	return typeof kind === 'string' && STOPS.includes(kind) && typeof workId === 'string' && typeof remedy === 'string';
}
