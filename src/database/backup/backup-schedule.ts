import type { Clock, Schedule } from '../../system/clock.ts';
import type { Backups } from './backups.ts';

/**
 * How long until the next look after a failure, and the longest pause between two looks: the time of day may be set, and the
 * machine may sleep.
 */
const LOOK_AGAIN_MILLIS = 600_000;

/** Makes a backup now if one is due, and then whenever one is. After a failure it tries again ten minutes later. */
export function scheduleBackups(backups: Backups, clock: Clock): Schedule {
  const stopping = new AbortController();
  let cancel = () => {};
  const look = async () => {
    await backups.makeIfDue(stopping.signal);
    if (!stopping.signal.aborted) {
      cancel = clock.after(Math.min(backups.dueInMillis || LOOK_AGAIN_MILLIS, LOOK_AGAIN_MILLIS), () => {
        running = look();
      });
    }
  };
  let running = look();
  return {
    first: running,
    stop: async () => {
      cancel();
      stopping.abort(new Error('stopped'));
      await running;
    },
  };
}
