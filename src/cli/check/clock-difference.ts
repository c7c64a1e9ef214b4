import { error, type Finding, ok, warning } from './check.ts';

/** Limits and lifetimes of several instances depend on clocks that agree to within seconds. */
const WARNING_MILLIS = 2_000;
const ERROR_MILLIS = 60_000;
/** Half a step of authenticator apps: a code that is typed slowly is too old by then. */
const CODES_MILLIS = 15_000;

/** The time of another machine, asked for by this one. */
interface ForeignTime {
  /** Whose time it is. */
  of: string;
  atMillis: number;
  /** How coarse the answer is. */
  stepMillis: number;
  /** This machine's time before and after. */
  askedAtMillis: number;
  answeredAtMillis: number;
}

/** Compares the clock of this machine with another one. */
export function judgeClock({
  of,
  atMillis,
  stepMillis,
  askedAtMillis,
  answeredAtMillis,
}: ForeignTime): Finding {
  // The answer was made between the two, and a coarse one is rounded down.
  const behind = Math.max(0, askedAtMillis - (atMillis + stepMillis));
  const ahead = Math.max(0, atMillis - answeredAtMillis);
  const millis = Math.max(behind, ahead);
  const seconds = Math.round(millis / 1_000);
  const text = `The clock of ${of} is ${seconds} s ${behind > ahead ? 'behind' : 'ahead of'} this machine's.`;
  const codes = millis >= CODES_MILLIS ? ' So do the codes of authenticator apps: they begin to fail.' : '';
  const todo = `Synchronise both clocks with NTP, and check it with timedatectl or chronyc tracking. Limits and lifetimes of tokens depend on the clocks.${codes}`;
  if (millis >= ERROR_MILLIS) {
    return error(text, todo);
  }
  return millis >= WARNING_MILLIS
    ? warning(text, todo)
    : ok(`The clock of ${of} agrees with this machine's.`);
}
