import { after, before, describe } from 'node:test';
import { crashes, crashFlows } from './cases/crashes';
import { deliveries, deliveryFlows } from './cases/deliveries';
import { examples, exampleFlows } from './cases/examples';
import { field, fieldFlows } from './cases/field';
import { operations, operationFlows } from './cases/operations';
import { refusals, refusalFlows } from './cases/refusals';
import { table, tableFlows } from './cases/table';
import { start, stop, type World } from './world/world';

/** One n8n for all of them, since it takes long to start. What is killed comes last. */
describe('the nodes in a real n8n', () => {
	let world: World | undefined;
	const there = (): World => {
		if (world === undefined) throw new Error('the world has not been started');
		return world;
	};
	before(async () => {
		const flows = [tableFlows, fieldFlows, refusalFlows, operationFlows, deliveryFlows, exampleFlows, crashFlows];
		world = await start((place) => flows.flatMap((of) => of(place)));
	});
	after(async () => {
		if (world !== undefined) await stop(world);
	});
	describe('n8n by itself sends twice, or never', () => table(there));
	describe('faults from the field', () => field(there));
	describe('what is refused, and what waits', () => refusals(there));
	describe('the other operations', () => operations(there));
	describe('what a host delivers', () => deliveries(there));
	describe('the examples', () => examples(there));
	describe('what is killed', () => crashes(there));
});
