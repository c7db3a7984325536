import {
	jsonParse,
	NodeConnectionTypes,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { delivered, refusal } from './delivery';
import { byHeader, bySignature, type Headers, type Proof } from './signature';

const CREDENTIAL = 'oncewardApi';

/**
 * The receipt: where the workflow is only started, the execution's id, which the host keeps as the reference; where its end is
 * waited for, what the last node gives. An empty list is a receipt too, so that a workflow without a result is not sent again.
 */
const RECEIPT =
	'={{ $parameter["responseMode"] === "onReceived" ? { "received": true, "id": $executionId } : "allEntries" }}';

/** Starts a workflow with what a host delivers: rows of its outbox, and alerts. */
export class OncewardTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Onceward Trigger',
		name: 'oncewardTrigger',
		icon: { light: 'file:../../icons/onceward.svg', dark: 'file:../../icons/onceward.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["path"] }}',
		description: 'Starts the workflow when Onceward delivers a message or an alert',
		defaults: { name: 'Onceward Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		// It waits for calls and has nothing that an agent could ask for.
		usableAsTool: undefined,
		credentials: [{ name: CREDENTIAL, required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: '={{ $parameter["path"] }}',
				isFullPath: true,
				responseMode: '={{ $parameter["responseMode"] }}',
				responseData: RECEIPT,
			},
		],
		properties: [
			{
				displayName: 'Path',
				name: 'path',
				type: 'string',
				default: 'onceward',
				required: true,
				description: "The path of the webhook's address, to which a destination of the host is configured",
			},
			{
				displayName: 'Authentication',
				name: 'authentication',
				type: 'options',
				options: [
					{
						name: 'Authorization Header',
						value: 'header',
						description:
							"The value that the host's destination sends as <code>authorization</code> equals the credential's Webhook Secret",
					},
					{
						name: 'Signature (Standard Webhooks)',
						value: 'signature',
						description: "The call is signed with the credential's Webhook Secret",
					},
				],
				default: 'header',
				description: 'How a delivery proves where it comes from',
			},
			{
				displayName: 'Tolerance (Seconds)',
				name: 'tolerance',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 300,
				description: 'How far the signed time may lie from the present',
				displayOptions: { show: { authentication: ['signature'] } },
			},
			{
				displayName: 'Answer',
				name: 'responseMode',
				type: 'options',
				options: [
					{
						name: 'When the Workflow Has Ended',
						value: 'lastNode',
						description: 'A workflow that fails or is killed is called again with the same event ID',
					},
					{
						name: 'When the Workflow Has Started',
						value: 'onReceived',
						description: 'The host is told the execution ID. What fails after it is not called again.',
					},
				],
				default: 'lastNode',
				description: 'When the host gets its receipt',
			},
			{
				displayName:
					'A delivery may come twice: its answer can be lost. Claim what you do with the event ID, <code>{{ $json.eventId }}</code>, or hand it on as an idempotency key.',
				name: 'notice',
				type: 'notice',
				default: '',
			},
		],
	};

	/** The address stands in the host's configuration, which is the operator's to write: there is nothing to register. */
	webhookMethods = {
		default: {
			checkExists: async (): Promise<boolean> => true,
			create: async (): Promise<boolean> => true,
			delete: async (): Promise<boolean> => true,
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const request = this.getRequestObject() as unknown as { headers: Headers; rawBody?: Buffer };
		const { webhookSecret } = await this.getCredentials<{ webhookSecret?: string }>(CREDENTIAL);
		const body = request.rawBody ?? Buffer.alloc(0);
		const secret = webhookSecret ?? '';
		const bound = { nowMs: Date.now(), toleranceS: this.getNodeParameter('tolerance', 300) as number };
		const proof: Proof =
			this.getNodeParameter('authentication') === 'signature'
				? bySignature(request.headers, body, secret, bound)
				: byHeader(request.headers, secret);
		if (!proof.ok) return refuse(this, proof.status, proof.why);
		let payload: unknown;
		try {
			payload = jsonParse(body.toString('utf8'));
		} catch {
			return refuse(this, 400, 'the body is no JSON');
		}
		return { workflowData: [[{ json: delivered(proof.id, payload, proof.signedAt) }]] };
	}
}

/** Answer that it is refused, and start nothing. */
function refuse(context: IWebhookFunctions, status: number, why: string): IWebhookResponseData {
	const response = context.getResponseObject();
	response.status(status).type('application/problem+json').send(JSON.stringify(refusal(status, why)));
	return { noWebhookResponse: true };
}
