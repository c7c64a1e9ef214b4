import type { Clock, Schedule } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { BackupFolder, StoredBackup } from './backup-folder.ts';

/** BACKUP_DIR, BACKUP_EVERY_HOURS and BACKUP_KEEP. */
export interface BackupSettings {
  dir: string;
  everyMillis: number;
  /** How many backups are kept. */
  keep: number;
}

/**
 * Writes a backup of the database to a new folder, which appears only when it is complete and on disk.
 * @param signal ends it early
 */
export type WriteBackup = (folder: string, signal: AbortSignal) => Promise<unknown>;

/** What the metrics show. */
interface BackupFigures {
  /** The time of day of the last good backup, also of one from before the start. */
  lastTakenAt: number | undefined;
  lastSizeBytes: number | undefined;
  /** Undefined until this process has made one. */
  lastDurationMillis: number | undefined;
  failures: number;
}

interface BackupParts {
  settings: BackupSettings;
  folder: BackupFolder;
  write: WriteBackup;
  clock: Clock;
  log: Logger;
}

/** How late a backup may be before it counts as overdue: six attempts of the schedule. */
const PATIENCE_MILLIS = 3_600_000;
/** A backup that is further in the future was made while the clock was wrong: its time says nothing. */
const MAX_CLOCK_CORRECTION_MILLIS = 3_600_000;

/** Makes the backups of the embedded database, one at a time, and knows how old the last good one is. */
export class Backups {
  readonly #parts: BackupParts;
  readonly #openedAt: number;
  #last: StoredBackup | undefined;
  #lastSizeBytes: number | undefined;
  #lastDurationMillis: number | undefined;
  #failures = 0;

  constructor(parts: BackupParts) {
    this.#parts = parts;
    this.#openedAt = parts.clock.elapsed();
  }

  get figures(): BackupFigures {
    return {
      lastTakenAt: this.#last?.takenAt,
      lastSizeBytes: this.#lastSizeBytes,
      lastDurationMillis: this.#lastDurationMillis,
      failures: this.#failures,
    };
  }

  /** What is wrong with the backups, as the end of a sentence; undefined if nothing is. */
  get problem(): string | undefined {
    if (this.isOverdue) {
      return 'is overdue';
    }
    // Nobody must find out only after an hour that the folder cannot be used.
    return this.#failures > 0 && !this.#last ? 'has failed, and there is none' : undefined;
  }

  /** True if a backup should have been made an hour ago. */
  get isOverdue(): boolean {
    const age = this.#ageMillis();
    const lateMillis =
      age === undefined
        ? this.#parts.clock.elapsed() - this.#openedAt
        : age - this.#parts.settings.everyMillis;
    return lateMillis > PATIENCE_MILLIS;
  }

  /** The time until the next backup is due; 0 if it is due now. */
  get dueInMillis(): number {
    const age = this.#ageMillis();
    return age === undefined ? 0 : Math.max(0, this.#parts.settings.everyMillis - age);
  }

  /**
   * Looks at the folder, and makes a backup if one is due. A failure is logged and counted; call it again later. It never
   * rejects.
   * @param signal ends it within a second, even if the disk hangs. The next call removes what may be left of the backup
   */
  async makeIfDue(signal: AbortSignal): Promise<void> {
    try {
      await endedOrAborted(this.#lookAndMake(signal), signal, this.#parts.clock);
    } catch (err) {
      if (!signal.aborted) {
        this.#failures += 1;
        this.#parts.log.error({ err, dir: this.#parts.settings.dir }, 'the backup failed');
      }
    }
  }

  async #lookAndMake(signal: AbortSignal): Promise<void> {
    await this.#look();
    if (this.dueInMillis === 0 && !signal.aborted) {
      await this.#make(signal);
    }
  }

  /** Finds the last good backup: also one of an earlier process, and not one that somebody has removed. */
  async #look(): Promise<void> {
    const { folder } = this.#parts;
    await folder.prepare();
    const [newest] = (await folder.list()).filter(({ takenAt }) => !this.#isFuture(takenAt));
    if (newest?.name !== this.#last?.name) {
      this.#lastSizeBytes = newest && (await folder.sizeOf(newest));
    }
    this.#last = newest;
  }

  async #make(signal: AbortSignal): Promise<void> {
    const { folder, write, clock, log } = this.#parts;
    const backup = folder.named(clock.now());
    const startedAt = clock.elapsed();
    await write(folder.pathOf(backup), signal);
    const durationMillis = Math.round(clock.elapsed() - startedAt);
    const bytes = await folder.sizeOf(backup);
    this.#last = backup;
    this.#lastSizeBytes = bytes;
    this.#lastDurationMillis = durationMillis;
    const removed = await this.#removeOld(backup);
    log.info(
      { backup: backup.name, bytes, durationMillis, removed },
      'a backup of the database was made; documents are not in it',
    );
  }

  /** The backup is good, whatever becomes of the old ones. */
  async #removeOld(made: StoredBackup): Promise<number> {
    const { folder, settings, log } = this.#parts;
    try {
      return (await folder.removeOld(made, settings.keep)).length;
    } catch (err) {
      log.warn({ err, dir: settings.dir }, 'old backups cannot be removed');
      return 0;
    }
  }

  /** The age of the last good backup by the time of day; undefined if there is none. */
  #ageMillis(): number | undefined {
    if (!this.#last || this.#isFuture(this.#last.takenAt)) {
      return undefined;
    }
    return Math.max(0, this.#parts.clock.now() - this.#last.takenAt);
  }

  #isFuture(takenAt: number): boolean {
    return takenAt > this.#parts.clock.now() + MAX_CLOCK_CORRECTION_MILLIS;
  }
}

/** How long work may take to clean up after the signal. */
const AFTERMATH_MILLIS = 1_000;

/** A process that waits for a disk which does not answer cannot even be killed. A stop does not wait for it. */
async function endedOrAborted(work: Promise<void>, signal: AbortSignal, clock: Clock): Promise<void> {
  let cancel = () => {};
  let stop = () => {};
  const tooLate = new Promise<never>((_, reject) => {
    stop = () => {
      cancel = clock.after(AFTERMATH_MILLIS, () => reject(signal.reason));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, tooLate]).finally(() => {
    signal.removeEventListener('abort', stop);
    cancel();
  });
}

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
