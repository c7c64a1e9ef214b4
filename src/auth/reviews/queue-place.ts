/** A place in the queue of reviewers. It stays the same however many doctors come and go. */
export interface QueuePlace {
  submittedAt: Date;
  /** The id of the doctor. It decides between doctors of the same time. */
  id: string;
}

/** The earliest time of JavaScript (ECMA-262, section 21.4.1.1). */
const EARLIEST_MILLIS = -8.64e15;

/** The place before all doctors. */
export const QUEUE_START: QueuePlace = { submittedAt: new Date(EARLIEST_MILLIS), id: '' };

/** Orders two places, the oldest first. */
export const comparePlaces = (a: QueuePlace, b: QueuePlace): number =>
  a.submittedAt.getTime() - b.submittedAt.getTime() || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));

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
