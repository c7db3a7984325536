import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

const NEVER_THE_EXECUTION =
	'Never use the execution ID, the time of the run or an AI answer: they are new with every retry and redelivery, so that no repeat would be recognised.';

const EVENT: INodePropertyOptions = {
	name: 'Event ID',
	value: 'eventId',
	description: 'An ID that the sender gave and repeats with each delivery',
};

const CLAIM_IDENTITIES: INodePropertyOptions[] = [
	EVENT,
	{ name: 'Fields', value: 'fields', description: 'Fields of the item that together make it the same work' },
	{
		name: 'Content',
		value: 'content',
		description: 'A hash of the whole content; two different events with the same content are then one',
	},
];

const EVENT_IDENTITIES: INodePropertyOptions[] = [
	EVENT,
	{
		name: "The Step's Contract",
		value: 'contract',
		description: 'For steps that take the identity from fields or content of the payload',
	},
];

const WHAT_IDENTIFIES = `What makes two items the same work. ${NEVER_THE_EXECUTION}`;

const WHAT_AN_EVENT_ID_IS = `The ID that the sender gave this event: a message, order or update ID. ${NEVER_THE_EXECUTION}`;

/** The choice of what makes a claimed key, and its fields. */
export function claimIdentity(show: Record<string, string[]>): INodeProperties[] {
	return [
		{
			displayName: 'Identify By',
			name: 'identifyBy',
			type: 'options',
			options: CLAIM_IDENTITIES,
			default: 'eventId',
			description: WHAT_IDENTIFIES,
			displayOptions: { show },
		},
		eventId({ ...show, identifyBy: ['eventId'] }),
		{
			displayName: 'Fields',
			name: 'fields',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'body.customer, body.orderId',
			description:
				'Paths in the item, with dots and separated by commas. Every item must have each of them. An e-mail address alone is no identity: one person can ask twice.',
			displayOptions: { show: { ...show, identifyBy: ['fields'] } },
		},
		{
			displayName: 'Content',
			name: 'identityContent',
			type: 'json',
			default: '={{ $json.body ?? $json }}',
			required: true,
			description: 'What is hashed. Times of delivery, request and trace IDs are left out at every depth.',
			displayOptions: { show: { ...show, identifyBy: ['content'] } },
		},
		{
			displayName: 'Ignored Fields',
			name: 'ignoredFields',
			type: 'string',
			default: '',
			placeholder: 'sentAt, signature',
			description: 'Names of further members that differ between deliveries of one event, separated by commas',
			displayOptions: { show: { ...show, identifyBy: ['content'] } },
		},
	];
}

/** The choice of what makes an event of a step the same, and its fields. */
export function eventIdentity(show: Record<string, string[]>): INodeProperties[] {
	return [
		{
			displayName: 'Identify By',
			name: 'identifyBy',
			type: 'options',
			options: EVENT_IDENTITIES,
			default: 'eventId',
			description: WHAT_IDENTIFIES,
			displayOptions: { show },
		},
		eventId({ ...show, identifyBy: ['eventId'] }),
		{
			displayName: 'Source',
			name: 'source',
			type: 'string',
			default: 'n8n',
			required: true,
			description: 'Who sends these events. It is part of the identity: another source makes it another event.',
			displayOptions: { show },
		},
	];
}

function eventId(show: Record<string, string[]>): INodeProperties {
	return {
		displayName: 'Event ID',
		name: 'eventId',
		type: 'string',
		default: '',
		required: true,
		placeholder: '={{ $json.body.message_id }}',
		description: WHAT_AN_EVENT_ID_IS,
		displayOptions: { show },
	};
}
