/** An item or a parameter can't be used: why, and what helps. */
export class ItemError extends Error {
	constructor(
		readonly verdict: 'no-identity' | 'bad-parameter',
		message: string,
		readonly remedy: string,
	) {
		super(message);
		this.name = 'ItemError';
	}
}
