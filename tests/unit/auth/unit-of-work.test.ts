import mongoose from 'mongoose';
import { asUnitOfWork, together, type UnitOfWork } from '../../../src/auth/unit-of-work.ts';
import { broken } from '../../../src/system/error-details.ts';
import { ValidationError } from '../../../src/system/errors.ts';
import { createLog } from '../../../src/system/log.ts';

const log = createLog('silent');
const FAILURE = new Error('a step failed');
const fail = () => Promise.reject(FAILURE);
const cannotBeUndone = (unit: UnitOfWork) => {
  unit.onFailure(() => Promise.reject(new Error('cannot be undone')));
  return fail();
};

/** Three steps, each of which can be undone, and what happened. */
function threeSteps() {
  const happened: string[] = [];
  const steps = (unit: UnitOfWork) => {
    for (const step of ['first', 'second', 'third']) {
      unit.onFailure(async () => happened.push(`undo ${step}`));
      happened.push(step);
    }
  };
  return { happened, steps };
}

test('a unit of work that succeeds undoes nothing', async () => {
  const { happened, steps } = threeSteps();
  const result = await asUnitOfWork(log, async (unit) => {
    steps(unit);
    return unit.commit(async () => 'committed');
  });
  expect(result).toBe('committed');
  expect(happened).toEqual(['first', 'second', 'third']);
});

const TAKEN_EMAIL = new ValidationError({ email: broken('taken', 'The email has already been taken.') });

test.each<[what: string, error: Error, end: (unit: UnitOfWork) => Promise<unknown>]>([
  ['a failure before the commit', FAILURE, fail],
  ['a refused commit', TAKEN_EMAIL, (unit) => unit.commit(() => Promise.reject(TAKEN_EMAIL))],
  ['a failure whose undoing fails, too', FAILURE, cannotBeUndone],
])('%s undoes all steps, the last one first, and is thrown', async (_what, error, end) => {
  const { happened, steps } = threeSteps();
  const work = asUnitOfWork(log, async (unit) => {
    steps(unit);
    return end(unit);
  });
  await expect(work).rejects.toBe(error);
  expect(happened.slice(3)).toEqual(['undo third', 'undo second', 'undo first']);
});

test('a failure among steps that run at once is undone when all of them have ended', async () => {
  const happened: string[] = [];
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = asUnitOfWork(log, async (unit) => {
    unit.onFailure(async () => happened.push('undo'));
    await together([fail(), slow.then(() => happened.push('slow step'))]);
  });
  // Enough turns for an undo step that does not wait.
  await new Promise(setImmediate);
  finish();
  await expect(work).rejects.toBe(FAILURE);
  expect(happened).toEqual(['slow step', 'undo']);
});

test('a step that was not reached is not undone', async () => {
  const undone: string[] = [];
  const work = asUnitOfWork(log, async (unit) => {
    unit.onFailure(async () => undone.push('first'));
    await fail();
    unit.onFailure(async () => undone.push('second'));
  });
  await expect(work).rejects.toBe(FAILURE);
  expect(undone).toEqual(['first']);
});

test('a commit without an answer may have happened, so its steps are left to the sweep', async () => {
  const { happened, steps } = threeSteps();
  const work = asUnitOfWork(log, async (unit) => {
    steps(unit);
    return unit.commit(fail);
  });
  await expect(work).rejects.toBe(FAILURE);
  expect(happened).toEqual(['first', 'second', 'third']);
});

describe('an attempt whose id is taken', () => {
  const TAKEN = new mongoose.mongo.MongoServerError({ code: 11_000, keyPattern: { _id: 1 } });

  test('is undone at once, and the steps before it are kept for the next attempt', async () => {
    const happened: string[] = [];
    const act = (unit: UnitOfWork, name: string) => {
      unit.onFailure(async () => happened.push(`undo ${name}`));
      happened.push(name);
    };
    await asUnitOfWork(log, async (unit) => {
      act(unit, 'documents');
      const refused = unit.attempt(async () => {
        act(unit, 'profile 1');
        act(unit, 'token 1');
        return unit.commit(() => Promise.reject(TAKEN));
      });
      await expect(refused).rejects.toBe(TAKEN);
      return unit.attempt(async () => {
        act(unit, 'profile 2');
        return unit.commit(async () => 'committed');
      });
    });
    expect(happened).toEqual([
      'documents',
      'profile 1',
      'token 1',
      'undo token 1',
      'undo profile 1',
      'profile 2',
    ]);
  });

  test('does not count as a commit without an answer: all other steps are undone, too', async () => {
    const undone: string[] = [];
    const work = asUnitOfWork(log, async (unit) => {
      unit.onFailure(async () => undone.push('documents'));
      await unit.attempt(() => unit.commit(() => Promise.reject(TAKEN)));
    });
    await expect(work).rejects.toBe(TAKEN);
    expect(undone).toEqual(['documents']);
  });
});
