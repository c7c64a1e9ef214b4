import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../system/make-folder.ts';
import { systemErrorCode } from '../system/system-errors.ts';

/** A complete backup: a folder. */
export interface StoredBackup {
  name: string;
  /** The time of day at which it began, in milliseconds since the epoch. It has everything that was stored before. */
  takenAt: number;
}

/** The time in UTC to the second, without the colons, which Windows and rsync do not take. Then the database. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-([0-9a-f]+)$/;

/** The engine writes a backup under its name and this. What a killed process leaves has it, too. */
const HALF = /\.partial-\d+$/;

/**
 * The folder with the backups of one database. Their names are a time in UTC and the id of the database. So nothing else in
 * the folder is ever touched: not the backups of another gateway, and not those of the lost database if this one is a new,
 * empty one by mistake.
 */
export class BackupFolder {
  /**
   * @param folder made if it is missing. An existing folder keeps its mode, because it may also be there for other backups
   * @param databaseId the same as long as the database lives, also after a restore; hexadecimal
   */
  constructor(
    readonly folder: string,
    private readonly databaseId: string,
  ) {}

  /** The complete backups, the newest first. */
  async list(): Promise<StoredBackup[]> {
    const backups = (await this.#folders()).flatMap((name) => this.#parse(name) ?? []);
    return backups.sort((one, another) => another.takenAt - one.takenAt);
  }

  /**
   * Makes the folder, and removes what killed processes have left of backups.
   * @throws a system error
   */
  async prepare(): Promise<void> {
    await makeFolder(this.folder, 0o700);
    const halves = (await this.#folders()).filter(
      (name) => HALF.test(name) && this.#parse(name.replace(HALF, '')) !== undefined,
    );
    await this.#remove(halves);
  }

  /** The name of a backup that begins at this time of day. */
  named(nowMillis: number): StoredBackup {
    const [time = ''] = new Date(nowMillis).toISOString().split('.');
    return { name: `${time.replaceAll(':', '-')}Z-${this.databaseId}`, takenAt: Date.parse(`${time}Z`) };
  }

  pathOf({ name }: StoredBackup): string {
    return path.join(this.folder, name);
  }

  /** The bytes of its files. */
  async sizeOf(backup: StoredBackup): Promise<number> {
    const folder = this.pathOf(backup);
    const sizes = (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size);
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /**
   * Removes all but the newest. The one that was just made stays, even if the clock was set back and others look newer. Those
   * were made before it, by a clock that was wrong then or is now; they go first, or they would stay for ever in the place of
   * later ones.
   * @param keep how many backups stay
   * @returns the names of the removed ones
   */
  async removeOld(made: StoredBackup, keep: number): Promise<string[]> {
    const others = (await this.list()).filter(({ name }) => name !== made.name);
    const isBefore = ({ takenAt }: StoredBackup) => takenAt <= made.takenAt;
    const ordered = [...others.filter(isBefore), ...others.filter((other) => !isBefore(other))];
    const removed = ordered.slice(keep - 1).map(({ name }) => name);
    await this.#remove(removed);
    return removed;
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rm(path.join(this.folder, name), { recursive: true, force: true });
    }
  }

  /** @returns undefined for the name of anything else */
  #parse(name: string): StoredBackup | undefined {
    const [, day, hours, minutes, seconds, databaseId] = NAME.exec(name) ?? [];
    const takenAt = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
    return databaseId === this.databaseId && !Number.isNaN(takenAt) ? { name, takenAt } : undefined;
  }

  /** The folders in it. A link is left out: this module makes none, and would follow it out of the folder. */
  async #folders(): Promise<string[]> {
    const entries = await readdir(this.folder, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
      if (systemErrorCode(error) === 'ENOENT') {
        return [];
      }
      throw error;
    });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }
}
