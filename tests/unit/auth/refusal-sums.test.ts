import { RefusalSums } from '../../../src/auth/audit/refusal-sums.ts';
import type { AuditEvent } from '../../../src/stores/audit-events.ts';
import { anAuditEvent } from '../../support/audit-event.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const NOW = new Date('2026-01-31T12:00:00Z');
const MINUTE_MILLIS = 60_000;
const MAX_SUMS = 200;
const MAX_SUMS_OF_BLOCK = 40;
/** Far more than have a sum of their own. */
const VERY_MANY = 2_048;

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock(NOW);
});

/** Sums, and the events that they have passed to the writer. */
function summing() {
  const given: AuditEvent[] = [];
  const writer = { hasRefusals: false, addRefusals: (events: AuditEvent[]) => void given.push(...events) };
  const sums = new RefusalSums(writer, clock);
  const add = (fields: Partial<AuditEvent> = {}, kind = 'TOO_MANY_ATTEMPTS') =>
    sums.add(anAuditEvent({ at: new Date(clock.now()), ...fields }), kind);
  return { sums, add, given, writer };
}

test('the first refusal is written at once, and those of the next minute as one event', async () => {
  const { add, given } = summing();
  add({ requestId: 'first' });
  expect(given).toMatchObject([{ requestId: 'first', at: NOW, count: null, lastAt: null }]);
  await clock.advance(1_000);
  for (let index = 0; index < 10_000; index += 1) {
    add({ requestId: `${index}` });
  }
  await clock.advance(2_000);
  add();
  expect(given).toHaveLength(1);
  await clock.advance(MINUTE_MILLIS - 3_000);
  const at = new Date(NOW.getTime() + 1_000);
  const lastAt = new Date(NOW.getTime() + 3_000);
  expect(given).toHaveLength(2);
  expect(given[1]).toMatchObject({ requestId: '0', count: 10_001, at, lastAt });
});

test('a single refusal has no sum, and after a minute the next one is written at once', async () => {
  const { add, given } = summing();
  add({ requestId: 'one' });
  await clock.advance(MINUTE_MILLIS);
  add({ requestId: 'another' });
  await clock.advance(MINUTE_MILLIS);
  expect(given).toMatchObject([
    { requestId: 'one', count: null },
    { requestId: 'another', count: null },
  ]);
  expect(clock.pending).toBe(0);
});

test('addresses, doors, acts and kinds have separate sums', () => {
  const { sums, add, given } = summing();
  for (let time = 0; time < 2; time += 1) {
    add();
    add({ ip: '192.0.2.2' });
    add({ channel: 'graphql' });
    add({ act: 'registration' });
    add({}, 'SERVICE_UNAVAILABLE');
  }
  sums.close();
  expect(given.map(({ count }) => count)).toEqual([...Array(5).fill(null), ...Array(5).fill(1)]);
});

test('a sum keeps only the fields that all its events share', () => {
  const { sums, add, given } = summing();
  for (const accountId of ['first', 'one', 'one', 'other']) {
    add({ accountId, emailDigest: 'same', userAgent: accountId });
  }
  sums.close();
  expect(given[1]).toMatchObject({ count: 3, accountId: null, emailDigest: 'same', userAgent: null });
});

test('a sum is kept as long as its last event', () => {
  const { sums, add, given } = summing();
  const [first, last] = [new Date(1), new Date(2)];
  for (const expiresAt of [first, first, last]) {
    add({ expiresAt });
  }
  sums.close();
  expect(given.map(({ expiresAt }) => expiresAt)).toEqual([first, last]);
});

test('very many networks cost at most some hundred events', async () => {
  const { add, given } = summing();
  for (let time = 0; time < 2; time += 1) {
    for (let block = 0; block < VERY_MANY; block += 1) {
      add({ ip: `2001:db8:${block.toString(16)}:1::/64`, emailDigest: `digest ${block}` });
    }
  }
  await clock.advance(MINUTE_MILLIS);
  expect(given).toHaveLength(2 * MAX_SUMS + 1);
  const others = given.filter(({ ip }) => ip === 'other addresses');
  expect(others).toMatchObject([{ count: 2 * (VERY_MANY - MAX_SUMS), emailDigest: null }]);
  const all = given.reduce((total, { count }) => total + (count ?? 1), 0);
  expect(all).toBe(2 * VERY_MANY);
});

test.each([
  ['a /48', '2001:db8:0::/48', (index: number) => `2001:db8:0:${index.toString(16)}::/64`, VERY_MANY],
  ['a /24', '192.0.2.0/24', (index: number) => `192.0.2.${index}`, 256],
])(
  'the addresses of %s have a part of the sums, and others keep theirs',
  async (_, network, addressOf, count) => {
    const { add, given } = summing();
    for (let time = 0; time < 2; time += 1) {
      for (let index = 0; index < count; index += 1) {
        add({ ip: addressOf(index) });
      }
    }
    add({ ip: '198.51.100.1' });
    add({ ip: '198.51.100.1' });
    await clock.advance(MINUTE_MILLIS);
    const sumOf = (address: string) => given.filter(({ ip, count: sum }) => ip === address && sum !== null);
    expect(sumOf(network)).toMatchObject([{ count: 2 * (count - MAX_SUMS_OF_BLOCK) }]);
    expect(sumOf('198.51.100.1')).toMatchObject([{ count: 1 }]);
    expect(given).toHaveLength(2 * MAX_SUMS_OF_BLOCK + 3);
  },
);

test('a sum grows until the earlier refusals are written, for example with the database away', async () => {
  const { add, given, writer } = summing();
  add();
  writer.hasRefusals = true;
  for (let minute = 0; minute < 60; minute += 1) {
    for (let index = 0; index < 100; index += 1) {
      add();
    }
    await clock.advance(MINUTE_MILLIS);
  }
  expect(given).toHaveLength(1);
  writer.hasRefusals = false;
  await clock.advance(MINUTE_MILLIS);
  expect(given.map(({ count }) => count)).toEqual([null, 6_000]);
});

test('after the close nothing is summed, and no timer is left', () => {
  const { sums, add, given } = summing();
  add();
  add();
  sums.close();
  add({ requestId: 'late' });
  add({ requestId: 'later' });
  expect(given.map(({ count }) => count)).toEqual([null, 1, null, null]);
  expect(clock.pending).toBe(0);
});
