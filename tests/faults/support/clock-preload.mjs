import { readFileSync } from 'node:fs';

/**
 * Loaded before a program, in each of its threads: its Date follows a file that says how far it is ahead, in
 * milliseconds. As when a system's clock is set, timers and monotonic clocks go on undisturbed.
 */
const { TEST_CLOCK_FILE: file = '' } = process.env;
const POLL_MILLIS = 20;

let offsetMillis = 0;
const look = () => {
  offsetMillis = Number(readFileSync(file, 'utf8'));
};
look();
setInterval(look, POLL_MILLIS).unref();

const TrueDate = Date;
const now = () => TrueDate.now() + offsetMillis;
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
