import { offsetsOf } from '../../system/calendar.ts';

/** Turns a timestamp of the legacy database into a moment. */
export type ReadTime = (text: string | null | undefined) => Date | null;

/** Turns a moment into a timestamp of the legacy database, in whole seconds; null for null and for the epoch. */
export type WriteTime = (moment: Date | null | undefined) => string | null;

/**
 * Writes timestamps as an application in this time zone does: the reverse of {@link timeReader}.
 * @throws RangeError for an unknown zone
 */
export function timeWriter(timeZone: string): WriteTime {
  const offsetAt = offsetsOf(timeZone);
  return (moment) => {
    // The epoch stands for a time that the legacy database did not have.
    if (!moment || moment.getTime() === 0) {
      return null;
    }
    const local = new Date(moment.getTime() + offsetAt(moment.getTime()));
    return local.toISOString().slice(0, 19).replace('T', ' ');
  };
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?$/;

/**
 * Reads timestamps that an application wrote in its own time zone (`app.timezone`). The database's session zone does not
 * matter, because the texts are read as they are.
 * @param timeZone an IANA name such as `Europe/Berlin`, or an offset such as `+02:00`
 * @returns a function that answers null for null, for MySQL's zero date and for another text
 * @throws RangeError for an unknown zone
 */
export function timeReader(timeZone: string): ReadTime {
  const offsetAt = offsetsOf(timeZone);
  return (text) => {
    if (!text || !TIMESTAMP.test(text) || text.startsWith('0000')) {
      return null;
    }
    const asUtc = Date.parse(`${text.slice(0, 10)}T${text.slice(11)}Z`);
    // MySQL may have dates such as 2024-00-00.
    if (Number.isNaN(asUtc)) {
      return null;
    }
    // The offset is that of the moment, which depends on the offset. The second try is right outside of a change.
    const first = asUtc - offsetAt(asUtc);
    return new Date(asUtc - offsetAt(first));
  };
}
