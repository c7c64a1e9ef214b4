import { asOneAct, type OneAct } from '../../src/auth/one-act.ts';
import { ValidationError } from '../../src/errors/errors.ts';
import { createLog } from '../../src/system/log.ts';

const log = createLog('silent');
const FAILURE = new Error('a step failed');
const fail = () => Promise.reject(FAILURE);

/** Three steps, each of which can be undone, and what happened. */
function threeSteps() {
  const happened: string[] = [];
  const steps = (act: OneAct) => {
    for (const step of ['first', 'second', 'third']) {
      act.onFailure(async () => happened.push(`undo ${step}`));
      happened.push(step);
    }
  };
  return { happened, steps };
}

test('an act that succeeds undoes nothing', async () => {
  const { happened, steps } = threeSteps();
  const result = await asOneAct(log, async (act) => {
    steps(act);
    return act.commit(async () => 'committed');
  });
  expect(result).toBe('committed');
  expect(happened).toEqual(['first', 'second', 'third']);
});

test('a failure before the commit undoes all steps, the last one first, and is told', async () => {
  const { happened, steps } = threeSteps();
  const act = asOneAct(log, async (act) => {
    steps(act);
    return fail();
  });
  await expect(act).rejects.toBe(FAILURE);
  expect(happened.slice(3)).toEqual(['undo third', 'undo second', 'undo first']);
});

test('a step that has not been reached is not undone', async () => {
  const undone: string[] = [];
  const act = asOneAct(log, async (act) => {
    act.onFailure(async () => undone.push('first'));
    await fail();
    act.onFailure(async () => undone.push('second'));
  });
  await expect(act).rejects.toBe(FAILURE);
  expect(undone).toEqual(['first']);
});

test('an undo step that fails keeps none of the others from being undone, and hides nothing', async () => {
  const { happened, steps } = threeSteps();
  const act = asOneAct(log, async (act) => {
    steps(act);
    act.onFailure(() => Promise.reject(new Error('cannot be undone')));
    return fail();
  });
  await expect(act).rejects.toBe(FAILURE);
  expect(happened.slice(3)).toEqual(['undo third', 'undo second', 'undo first']);
});

test('a commit that was refused for certain is undone', async () => {
  const { happened, steps } = threeSteps();
  const taken = new ValidationError({ email: ['The email has already been taken.'] });
  const act = asOneAct(log, async (act) => {
    steps(act);
    return act.commit(() => Promise.reject(taken));
  });
  await expect(act).rejects.toBe(taken);
  expect(happened.slice(3)).toEqual(['undo third', 'undo second', 'undo first']);
});

test('a commit without an answer may have happened, so its steps are left to the sweep', async () => {
  const { happened, steps } = threeSteps();
  const act = asOneAct(log, async (act) => {
    steps(act);
    return act.commit(fail);
  });
  await expect(act).rejects.toBe(FAILURE);
  expect(happened).toEqual(['first', 'second', 'third']);
});
