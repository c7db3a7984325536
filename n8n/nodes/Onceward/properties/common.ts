import type { INodeProperties } from 'n8n-workflow';

/** Where a property is shown. */
export type Show = Record<string, string[]>;

/** How long the node waits. */
export function wait(show: Show): INodeProperties {
	return {
		displayName: 'Wait Up To (Seconds)',
		name: 'wait',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 300 },
		default: 30,
		description:
			'How long to wait for work that somebody else is at, and for a host that does not answer. After it the item fails with an error that Retry On Fail may retry. Stopping the execution ends the wait.',
		displayOptions: { show },
	};
}

/** How the outputs divide the items. */
export function outputs(show: Show, preset: 'one' | 'two'): INodeProperties {
	return {
		displayName: 'Outputs',
		name: 'outputs',
		type: 'options',
		options: [
			{
				name: 'One Output',
				value: 'one',
				description: 'A repeat goes on with the stored first result, and has "onceward.duplicate"',
			},
			{
				name: 'Acquired / Already Done',
				value: 'two',
				description: 'Repeats leave by an output of their own, with the stored first result',
			},
			{
				name: 'Acquired / Already Done / Wait or Review',
				value: 'three',
				description: 'What has no result yet leaves by the third output, and is no error',
			},
		],
		default: preset,
		description:
			'Where repeats leave. What acts by itself after a Claim belongs behind "Acquired"; connect the other outputs as well, so that nothing ends unseen.',
		displayOptions: { show },
	};
}

/** The claim that is held. */
export function holding(show: Show): INodeProperties[] {
	return [
		{
			displayName: 'Work ID',
			name: 'workId',
			type: 'string',
			default: '={{ $json.onceward.workId }}',
			required: true,
			description:
				"The claimed work. Where a node in between has replaced the item's fields, take it from the item of the Claim node.",
			displayOptions: { show },
		},
		{
			displayName: 'Claim Number',
			name: 'claimNumber',
			type: 'string',
			default: '={{ $json.onceward.token }}',
			required: true,
			description:
				'The token that proves the claim: whoever lost the claim meanwhile is refused and changes nothing. It is no secret.',
			displayOptions: { show },
		},
	];
}

/** A result, for those who ask again. */
export function result(show: Show): INodeProperties {
	return {
		displayName: 'Result',
		name: 'result',
		type: 'json',
		default: '={{ $json }}',
		description: 'What a repeat gets as the stored first result. The member "onceward" is left out.',
		displayOptions: { show },
	};
}
