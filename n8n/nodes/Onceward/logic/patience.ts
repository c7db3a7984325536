/** How the time passes, and whether the execution has been cancelled meanwhile. */
export interface Time {
	now(): number;
	/** Resolves after so many milliseconds, and rejects as soon as the execution is cancelled. */
	pause(ms: number): Promise<void>;
}

/** The first pause and the longest one, in milliseconds. */
const PAUSE_FIRST_MS = 200;
const PAUSE_MOST_MS = 2_000;

/** The longest that a node may be told to wait, in seconds: longer waits belong into the host or into a Wait node. */
export const WAIT_MOST_S = 300;

/** A bounded wait: pauses that grow, until the time is up. */
export class Patience {
	private readonly until: number;

	private next = PAUSE_FIRST_MS;

	constructor(
		private readonly time: Time,
		seconds: number,
	) {
		const bounded = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), WAIT_MOST_S) : 0;
		this.until = time.now() + bounded * 1_000;
	}

	/** What is left, in milliseconds. */
	left(): number {
		return Math.max(0, this.until - this.time.now());
	}

	/**
	 * Pause, if there is time left; whether there was. What the host says about when to come back is a bound from above: it
	 * names the end of a lease, and work mostly ends before.
	 */
	async another(hintMs?: number): Promise<boolean> {
		const left = this.left();
		if (left <= 0) return false;
		const pause = Math.max(1, Math.min(this.next, hintMs ?? PAUSE_MOST_MS, left));
		this.next = Math.min(this.next * 2, PAUSE_MOST_MS);
		await this.time.pause(pause);
		return true;
	}
}
