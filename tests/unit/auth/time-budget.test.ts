import { jest } from '@jest/globals';
import { commit, RunningAct } from '../../../src/auth/running-act.ts';
import { TimeBudget } from '../../../src/auth/time-budget.ts';
import { ServiceUnavailableError } from '../../../src/system/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const BUDGET_MILLIS = 1_500;
const never = () => new Promise<never>(() => {});

function budgetOnClock() {
  const clock = new ManualClock();
  const budget = new TimeBudget(clock);
  /** Work that takes so long. */
  const takes = (millis: number) => () => new Promise<void>((resolve) => void clock.after(millis, resolve));
  return { clock, budget, takes };
}

test('a wait ends with a refusal when the budget is spent, and later work is not started', async () => {
  const { clock, budget } = budgetOnClock();
  const refused = jest.fn();
  void budget.within(never).catch(refused);
  await clock.advance(BUDGET_MILLIS - 1);
  expect(refused).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(refused).toHaveBeenCalledWith(expect.any(ServiceUnavailableError));
  const work = jest.fn(async () => {});
  await expect(budget.within(work)).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(work).not.toHaveBeenCalled();
});

test('several waits share one budget', async () => {
  const { clock, budget, takes } = budgetOnClock();
  for (let step = 0; step < 2; step += 1) {
    const wait = budget.within(takes(700));
    await clock.advance(700);
    await wait;
  }
  const refused = expect(budget.within(takes(700))).rejects.toBeInstanceOf(ServiceUnavailableError);
  await clock.advance(100);
  await refused;
});

test('simultaneous waits spend the budget once', async () => {
  const { clock, budget, takes } = budgetOnClock();
  const waits = [budget.within(takes(1_400)), budget.within(takes(1_400))];
  await clock.advance(1_400);
  await Promise.all(waits);
  await expect(budget.within(async () => 'done')).resolves.toBe('done');
});

test('the time between waits is not spent', async () => {
  const { clock, budget } = budgetOnClock();
  await budget.within(async () => {});
  await clock.advance(10 * BUDGET_MILLIS);
  await expect(budget.within(async () => 'done')).resolves.toBe('done');
});

test('work with limits of its own spends nothing', async () => {
  const { clock, budget, takes } = budgetOnClock();
  const wait = budget.within(() => budget.pauseFor(takes(10 * BUDGET_MILLIS)));
  await clock.advance(10 * BUDGET_MILLIS);
  await wait;
  await expect(budget.within(async () => 'done')).resolves.toBe('done');
});

test('no call of the clock is left after the last wait', async () => {
  const { clock, budget } = budgetOnClock();
  await budget.within(async () => {});
  await expect(budget.within(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(clock.pending).toBe(0);
});

test('the write that decides an act does not begin once its request was refused', async () => {
  const { clock, budget } = budgetOnClock();
  const write = jest.fn(async () => true);
  let resume = () => {};
  const paused = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const act = new RunningAct(budget).run(async () => {
    await paused;
    return commit(write);
  });
  const refused = expect(budget.within(() => act)).rejects.toBeInstanceOf(ServiceUnavailableError);
  await clock.advance(BUDGET_MILLIS);
  await refused;
  resume();
  await expect(act).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(write).not.toHaveBeenCalled();
});
