import { ACTIVE, FakeGateway, TOKEN } from './support/fake-gateway.ts';

const gateway = new FakeGateway().use();

const REQUEST = { headers: { authorization: `Bearer ${TOKEN}` } };
const UNTIL = ACTIVE.iat + 1_000;

/** A clock on which a test sets the time of day. Kept answers stay. */
const clock = { millis: 0, now: () => clock.millis, elapsed: () => 0 };

test('a verification counts until its end, also in an answer that is kept', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, verification: 'verified', verified_until: UNTIL });
  const guard = gateway.guard({ cacheMillis: 60_000 }, clock);
  const decide = async () => (await guard.decide(REQUEST, { verified: true })).session !== undefined;
  clock.millis = UNTIL * 1000 - 1;
  expect(await decide()).toBe(true);
  expect((await guard.check(TOKEN))?.verifiedUntil).toEqual(new Date(UNTIL * 1000));
  clock.millis = UNTIL * 1000;
  expect(await decide()).toBe(false);
  expect(gateway.questions).toHaveLength(1);
});

test('a gateway that says expired, and no end, is right', async () => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, verification: 'expired' });
  const decision = await gateway.guard({}, clock).decide(REQUEST, { verified: true });
  expect(decision.refusal).toMatchObject({ status: 403 });
});

test.each(['2027-01-31', -1, null, {}])('the end %j is no answer of a gateway', async (verified_until) => {
  gateway.answer = FakeGateway.says({ ...ACTIVE, verification: 'verified', verified_until });
  await expect(gateway.guard({}, clock).check(TOKEN)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
});
