import { readFileSync } from 'node:fs';

/**
 * Loaded before a program, in each of its threads: its Date is ahead by the number of milliseconds in a file. Timers and
 * monotonic clocks do not change, as when a system's clock is set.
 */
const { TEST_CLOCK_FILE: file = '' } = process.env;

const TrueDate = Date;
// Read each time, so that a new setting of the clock counts at once.
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
