import type { INodeProperties } from 'n8n-workflow';
import { outputs, wait } from './common';
import { claimIdentity } from './identity';

const CLAIM = { resource: ['work'], operation: ['claim'] };

/** The fields of a claim. */
export const CLAIM_FIELDS: INodeProperties[] = [
	{
		displayName: 'Scope',
		name: 'scope',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'crm-deals',
		description:
			'What the keys belong to: lower-case letters, digits and hyphens. The same event can be claimed once in each scope.',
		displayOptions: { show: CLAIM },
	},
	...claimIdentity(CLAIM),
	{
		displayName: 'Effect',
		name: 'effect',
		type: 'string',
		default: 'write',
		description:
			'A name for what you are about to do. If n8n ends in the middle of it, the work is then in doubt and a person decides; it is not done again blindly. Leave it empty only for what may be repeated.',
		displayOptions: { show: CLAIM },
	},
	outputs(CLAIM, 'two'),
	wait(CLAIM),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: CLAIM },
		options: [
			{
				displayName: 'Attempts',
				name: 'attemptsMax',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 5,
				description: 'After so many claims without an end the work is a dead letter',
			},
			{
				displayName: 'Content',
				name: 'content',
				type: 'json',
				default: '',
				description: 'What a repeat must agree in; with other content it is refused as a mismatch',
			},
			{
				displayName: 'Give Up After (Seconds)',
				name: 'giveUpAfterSeconds',
				type: 'number',
				default: 86400,
				description: 'So long after its first attempt the work is a dead letter too',
			},
			{
				displayName: 'Lease (Seconds)',
				name: 'leaseSeconds',
				type: 'number',
				default: 300,
				description: 'How long the claim holds. Give more than what follows can take.',
			},
			{
				displayName: 'Occurred At',
				name: 'occurredAt',
				type: 'string',
				default: '',
				placeholder: '2026-01-31T10:00:00+01:00',
				description: 'When it happened, as the sender says; what is remembered counts from there',
			},
			{
				displayName: 'Remember For (Days)',
				name: 'windowDays',
				type: 'number',
				default: 0,
				description: 'How long a key is remembered after the work has ended; 0 is for ever',
			},
			{
				displayName: 'Repeats Get',
				name: 'response',
				type: 'options',
				options: [
					{ name: 'An Acknowledgement', value: 'acknowledgement' },
					{ name: 'An Error', value: 'error' },
					{ name: 'The First Result', value: 'original' },
				],
				default: 'original',
				description: 'What a repeat of finished work gets',
			},
		],
	},
];
