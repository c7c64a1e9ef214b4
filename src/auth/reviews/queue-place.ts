import type { QueuePlace } from '../../stores/doctors.ts';

/** A place as an opaque text for callers, which may send it back. */
export const cursorOf = ({ submittedAt, id }: QueuePlace): string =>
  Buffer.from(`${submittedAt.getTime()}:${id}`).toString('base64url');

/** More than the cursor of the longest id. */
const CURSOR_MAX_CHARACTERS = 1024;

/**
 * Reads a cursor.
 * @param cursor any text of limited length
 * @returns undefined for a text that {@link cursorOf} does not make
 */
export function placeOf(cursor: string): QueuePlace | undefined {
  if (cursor.length > CURSOR_MAX_CHARACTERS) {
    return undefined;
  }
  const [, millis, id = ''] = /^(-?\d{1,16}):(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const place = { submittedAt: new Date(Number(millis)), id };
  const isPlace = !Number.isNaN(place.submittedAt.getTime()) && cursorOf(place) === cursor;
  return isPlace ? place : undefined;
}
