/** Items of one bulk request, as the host takes them. */
export const BULK_ITEMS_MOST = 256;

/** What one bulk request may hold, in characters of JSON: the host takes a mebibyte, and a character may be four bytes. */
const BULK_CHARS_MOST = 240 * 1024;

/** The items in as few requests as the host takes, in their order. */
export function batches<T>(items: readonly T[]): T[][] {
	const all: T[][] = [];
	let chars = 0;
	for (const item of items) {
		const size = JSON.stringify(item).length;
		const last = all.at(-1);
		if (last === undefined || last.length === BULK_ITEMS_MOST || chars + size > BULK_CHARS_MOST) {
			all.push([item]);
			chars = size;
		} else {
			last.push(item);
			chars += size;
		}
	}
	return all;
}
