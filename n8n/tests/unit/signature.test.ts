import { deepEqual, equal } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { delivered } from '../../nodes/OncewardTrigger/delivery';
import { byHeader, bySignature, type Headers } from '../../nodes/OncewardTrigger/signature';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The example of the specification's own documentation. */
const PUBLISHED = {
	id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
	at: 1614265330,
	body: '{"test": 2432232314}',
	signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

function signed(at: number, { id = 'm', body = '{}', secret = SECRET } = {}): Headers {
	const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
	const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
	return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}

describe('signatures', () => {
	const bound = { nowMs: 1_000_000_000, toleranceS: 300 };
	const holds = (headers: Headers, body = '{}', secret = SECRET) => bySignature(headers, Buffer.from(body), secret, bound).ok;

	it('the_published_example_holds', () => {
		const { id, at, body, signature } = PUBLISHED;
		const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
		deepEqual(bySignature(headers, Buffer.from(body), SECRET, { nowMs: at * 1_000, toleranceS: 1 }), {
			ok: true,
			id,
			signedAt: '2021-02-25T15:02:10.000Z',
		});
	});

	it('a_signature_holds_for_its_id_time_and_body_alone', () => {
		const now = 1_000_000;
		equal(holds(signed(now)), true);
		equal(holds({ ...signed(now), 'webhook-id': 'other' }), false);
		equal(holds({ ...signed(now), 'webhook-timestamp': String(now + 1) }), false);
		equal(holds(signed(now), '{ }'), false);
		equal(holds(signed(now, { secret: 'whsec_b3RoZXI=' })), false);
		equal(holds({ ...signed(now), 'webhook-signature': `v1a,x ${String(signed(now)['webhook-signature'])}` }), true);
	});

	it('the_time_is_bounded_to_both_sides', () => {
		for (const [at, good] of [[999_700, true], [999_699, false], [1_000_300, true], [1_000_301, false]] as const) {
			equal(holds(signed(at)), good, String(at));
		}
	});

	it('what_is_malformed_is_refused_and_no_error', () => {
		const good = signed(1_000_000);
		for (const bad of [{}, { ...good, 'webhook-signature': '' }, { ...good, 'webhook-signature': 'v1,' }, { ...good, 'webhook-timestamp': 'x' }, { ...good, 'webhook-id': ['a', 'b'] }]) {
			equal(holds(bad), false);
		}
		equal(holds(good, '{}', ''), false);
	});

	it('an_authorization_is_compared_as_a_whole_and_a_repeat_needs_a_key', () => {
		const headers = { authorization: 'Bearer x', 'idempotency-key': 'row-1' };
		deepEqual(byHeader(headers, 'Bearer x'), { ok: true, id: 'row-1' });
		for (const secret of ['Bearer ', 'Bearer xx', '']) equal(byHeader(headers, secret).ok, false);
		const keyless = byHeader({ authorization: 'Bearer x' }, 'Bearer x');
		equal(!keyless.ok && keyless.status, 400);
	});
});

describe('deliveries', () => {
	it('an_alert_is_known_by_what_it_says', () => {
		const alert = { kind: 'dead', work_id: 'w', cause: 'boom', remedy: 'onceward work replay w' };
		equal(delivered('1', alert).kind, 'alert');
		for (const other of [{ ...alert, kind: 'deal' }, { id: 1 }, null, 'text', [alert]]) equal(delivered('1', other).kind, 'delivery');
	});
});
