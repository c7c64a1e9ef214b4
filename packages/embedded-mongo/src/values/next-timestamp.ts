import { Timestamp } from 'bson';

let last = { t: 0, i: 0 };

/** The current time as a BSON timestamp. Two timestamps of one second differ in their increment. */
export function nextTimestamp(): Timestamp {
  const t = Math.max(Math.floor(Date.now() / 1000), last.t);
  last = { t, i: t === last.t ? last.i + 1 : 1 };
  return new Timestamp(last);
}
