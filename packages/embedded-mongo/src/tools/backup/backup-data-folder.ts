import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BackupOutcome } from './backup-process.ts';
import type { BackupManifest } from './manifest.ts';
import { partialFolder } from './partial-folder.ts';

const PROGRAM = fileURLToPath(new URL('./backup-process.js', import.meta.url));

/** A killed process ends much sooner. One that waits for a disk does not end. */
const MAX_END_MILLIS = 1000;

/** How a backup can be ended. */
export interface BackupOptions {
  /** Ends the backup at once, even if the disk hangs. Nothing is left then. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes a backup of a data folder, whether or not an engine of this or another process uses it: a folder with the data file
 * as it is after one commit, and its manifest. It has everything that was acknowledged before the call. Writes go on
 * meanwhile: a reader of LMDB holds up no writer, and a process of its own takes neither the engine's thread nor those of
 * libuv.
 *
 * The backup appears under its name only when it is complete and on disk. Until then it is `<folder>.partial-<process id>`,
 * which only a kill of both processes leaves behind.
 * @param folder must not exist or be empty. Only this user can read it
 * @throws an Error if there is no database, the folder has files, or it cannot be written (a full disk); nothing is left then
 */
export async function backupDataFolder(
  path: string,
  folder: string,
  { signal }: BackupOptions = {},
): Promise<BackupManifest> {
  signal?.throwIfAborted();
  // No variable of the environment: it may hold secrets, and flags that are not for this process.
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
  const child = fork(PROGRAM, [path, folder], { env: {}, execArgv: [], stdio });
  const done = manifestFrom(child).catch(async (error) => {
    await rm(partialFolder(folder, child.pid ?? 0), { recursive: true, force: true });
    throw error;
  });
  const ended = new AbortController();
  try {
    return await Promise.race([done, killedOn(signal, child, ended.signal)]);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
  }
}

/** Kills the process on the signal. Rejects when it must have ended, unless a disk holds it. Without a signal, never settles. */
async function killedOn(
  signal: AbortSignal | undefined,
  child: ChildProcess,
  ended: AbortSignal,
): Promise<never> {
  if (signal) {
    await once(signal, 'abort', { signal: ended }).catch(() => {});
  }
  if (!signal?.aborted) {
    return new Promise(() => {});
  }
  child.kill('SIGKILL');
  await delay(MAX_END_MILLIS, undefined, { ref: false });
  throw signal.reason;
}

async function manifestFrom(child: ChildProcess): Promise<BackupManifest> {
  let outcome: BackupOutcome | undefined;
  child.once('message', (message: BackupOutcome) => {
    outcome = message;
  });
  const [code, signal] = await once(child, 'exit');
  if (outcome && 'manifest' in outcome) {
    return outcome.manifest;
  }
  throw new Error(outcome?.message ?? `The process of the backup has ended (${signal ?? `code ${code}`}).`);
}
