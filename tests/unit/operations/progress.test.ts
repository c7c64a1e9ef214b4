import { durationOf, Progress } from '../../../src/cli/output.ts';

test('progress tells the speed of this run, and the time that is left', () => {
  const progress = new Progress('accounts', 1000, 0);
  const state = progress.at(3000, 9000, 2000);
  expect(state).toEqual({ kind: 'accounts', done: 3000, total: 9000, rowsPerSecond: 1000, secondsLeft: 6 });
  expect(Progress.text(state)).toBe('accounts 3000 of 9000  1000/s  0:06 left');
  expect(durationOf(3723)).toBe('1:02:03');
});
