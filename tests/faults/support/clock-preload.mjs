import { readFileSync } from 'node:fs';

/**
 * Loaded before a program, in each of its threads: its Date follows a file that says how far it is ahead, in
 * milliseconds. As when a system's clock is set, timers and monotonic clocks go on undisturbed.
 */
const { TEST_CLOCK_FILE: file = '' } = process.env;

const TrueDate = Date;
// Looked up each time: whoever has set the clock need not wait until that has been noticed.
const now = () => TrueDate.now() + Number(readFileSync(file, 'utf8'));
const SetDate = new Proxy(TrueDate, {
  construct: (target, values, newTarget) =>
    Reflect.construct(
      target,
      values.length > 0 ? values : [now()],
      newTarget === SetDate ? target : newTarget,
    ),
  apply: () => String(new TrueDate(now())),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
TrueDate.prototype.constructor = SetDate;
globalThis.Date = SetDate;
