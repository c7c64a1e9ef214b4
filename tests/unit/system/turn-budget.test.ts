import { TurnBudget } from '../../../src/system/turn-budget.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A budget of 10 turns at once and 6 a minute, on a clock of its own. */
function aBudget(maxNetworks?: number) {
  const clock = new ManualClock();
  const budget = new TurnBudget({ atOnce: 10, perMinute: 6 }, clock, maxNetworks);
  /** How many turns addresses get when they ask for 100. */
  const taken = (addressOf: (index: number) => string) =>
    Array.from({ length: 100 }, (_, index) => budget.take(addressOf(index))).filter(Boolean).length;
  return { clock, budget, taken };
}

test('an address has its turns at once, and then as many as come back', async () => {
  const { clock, taken } = aBudget();
  const ofOne = () => taken(() => '192.0.2.1');
  expect(ofOne()).toBe(10);
  await clock.advance(9_999);
  expect(ofOne()).toBe(0);
  await clock.advance(1);
  expect(ofOne()).toBe(1);
  await clock.advance(60_000);
  expect(ofOne()).toBe(6);
  await clock.advance(1_000_000);
  expect(ofOne()).toBe(10);
});

test.each([
  ['IPv4 addresses of a /24', (index: number) => `192.0.2.${index}`, 20],
  ['/64 networks of a /56', (index: number) => `2001:db8:1:${index.toString(16)}::/64`, 10],
  ['/56 networks of a /48', (index: number) => `2001:db8:1:${index.toString(16)}00::/64`, 20],
  ['addresses of as many blocks', (index: number) => `10.0.${index}.1`, 100],
  ['requests without an address', () => '', 10],
])('100 %s have their turns together', (_, addressOf, turns) => {
  expect(aBudget().taken(addressOf)).toBe(turns);
});

test('a refused address takes nothing from its block', () => {
  const { taken } = aBudget();
  expect(taken(() => '192.0.2.1')).toBe(10);
  expect(taken(() => '192.0.2.2')).toBe(10);
  expect(taken(() => '192.0.2.3')).toBe(0);
});

test('networks whose budget is whole again are forgotten', async () => {
  const { clock, budget, taken } = aBudget();
  taken((index) => `10.0.${index}.1`);
  expect(budget.size).toBe(200);
  await clock.advance(100_000);
  budget.take('192.0.2.1');
  expect(budget.size).toBe(2);
});

test('beyond the maximum, the network that has used nothing for longest is forgotten', () => {
  const { budget, taken } = aBudget(20);
  taken(() => '192.0.2.1');
  for (let index = 0; index < 9; index += 1) {
    budget.take(`10.0.${index}.1`);
  }
  expect(budget.size).toBe(20);
  expect(budget.take('192.0.2.1')).toBe(false);
  budget.take('10.0.9.1');
  expect(budget.size).toBe(20);
  expect(budget.take('192.0.2.1')).toBe(true);
});
