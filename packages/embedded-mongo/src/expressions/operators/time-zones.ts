import { locationError, mongoError } from '../../base/errors.ts';

/** A time zone as MongoDB's date operators use it. */
export interface TimeZone {
  isUtc: boolean;
  /** The offset from UTC at a time, in milliseconds. */
  offsetAt(date: Date): number;
}

export const UTC: TimeZone = { isUtc: true, offsetAt: () => 0 };

const MINUTE_MILLIS = 60_000;

/** `+hh`, `+hhmm` or `+hh:mm`. */
const OFFSET = /^([+-])(\d\d)(?::?(\d\d))?$/;

/** `GMT`, `GMT+01:00` or `GMT-00:44:30`. */
const GMT_OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Names that some versions of Node.js know but do not list. */
const OTHER_NAMES = [
  'America/Argentina/Buenos_Aires',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Etc/GMT',
  'Etc/UTC',
  'Europe/Kyiv',
  'GMT',
  'US/Central',
  'US/Eastern',
  'US/Mountain',
  'US/Pacific',
  'UTC',
];

const namedZones = new Map<string, TimeZone>([['UTC', UTC]]);

/** A time zone by an offset or by its name in the IANA database. Throws 40485 for an unknown one. */
export function timeZone(text: string): TimeZone {
  const [, sign, hours, minutes = '0'] = OFFSET.exec(text) ?? [];
  if (hours !== undefined) {
    const offset = millisOf(sign, Number(hours), Number(minutes));
    return { isUtc: offset === 0, offsetAt: () => offset };
  }
  let zone = namedZones.get(text);
  if (!zone) {
    zone = namedZone(text);
    namedZones.set(text, zone);
  }
  return zone;
}

function namedZone(name: string): TimeZone {
  const format = formatOf(name);
  const names = [...Intl.supportedValuesOf('timeZone'), ...OTHER_NAMES];
  if (format && names.includes(name)) {
    return { isUtc: false, offsetAt: (date) => offsetOf(format, name, date) };
  }
  // Intl takes a name in any case, MongoDB does not.
  if (format && !names.some((known) => known.toLowerCase() === name.toLowerCase())) {
    throw refusal(`the time zone "${name}"`);
  }
  throw locationError(40485, `unrecognized time zone identifier: "${name}"`);
}

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

function offsetOf(format: Intl.DateTimeFormat, name: string, date: Date): number {
  if (date.getTime() < 0) {
    // The sources of time zones agree on the time since 1970 only.
    throw refusal(`a date before 1970 in the time zone "${name}"`);
  }
  const text = format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = GMT_OFFSET.exec(text) ?? [];
  return millisOf(sign, Number(hours), Number(minutes) + Number(seconds) / 60);
}

function millisOf(sign: string | undefined, hours: number, minutes: number): number {
  const millis = Math.round((hours * 60 + minutes) * MINUTE_MILLIS);
  return sign === '-' ? -millis : millis;
}

function refusal(what: string) {
  return mongoError('NotImplemented', `${what} is not implemented by the embedded engine`);
}
