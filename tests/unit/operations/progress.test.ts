import { PassThrough } from 'node:stream';
import { durationOf, Output, Progress } from '../../../src/cli/output.ts';

test('progress tells the speed of this run, and the time that is left', () => {
  const progress = new Progress('accounts', 1000, 0);
  const state = progress.at(3000, 9000, 2000);
  expect(state).toEqual({ kind: 'accounts', done: 3000, total: 9000, rowsPerSecond: 1000, secondsLeft: 6 });
  expect(Progress.text(state)).toBe('accounts 3000 of 9000  1000/s  0:06 left');
  expect(durationOf(3723)).toBe('1:02:03');
});

test('at a terminal, a result takes the place of the progress', () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const output = new Output({ stdout: new PassThrough(), stderr }, false);
  output.progress('accounts', 1, 10);
  output.hideProgress();
  output.hideProgress();
  const cleared = '\r\u001b[K';
  const shown = String(stderr.read());
  expect(shown.split(cleared)).toEqual(['', expect.stringContaining('accounts 1 of 10'), '']);
});
