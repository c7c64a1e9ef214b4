import { timeText } from './times.ts';

/** A moment of the gateway, in words. */
export const Time = ({ iso }: { iso: string }) => <time dateTime={iso}>{timeText(iso)}</time>;
