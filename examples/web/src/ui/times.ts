const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

/** A moment in words, such as `22 Nov 2026, 14:05`, in the reader's language. @param iso a time of the gateway */
export const timeText = (iso: string): string => MOMENT.format(new Date(iso));
/** A day in words, such as `22 November 2026`. */
export const dayText = (iso: string): string => DAY.format(new Date(iso));
