/** Requests of one node that are under way at once: the host queues more than it can run, and others ask it too. */
const AT_ONCE = 8;

/** Do something for each place, a few at a time; the results in the order of the places. */
export async function inTurn<T>(places: readonly number[], act: (place: number) => Promise<T>): Promise<T[]> {
	const results: T[] = [];
	const waiting = places.values();
	const worker = async () => {
		for (const place of waiting) results[place] = await act(place);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	return results;
}
