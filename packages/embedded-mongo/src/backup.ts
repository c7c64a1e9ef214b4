import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackupOutcome } from './backup-process.ts';
import { PARTIAL_MARK } from './tools/backup.ts';
import type { BackupManifest } from './tools/manifest.ts';

const PROGRAM = fileURLToPath(new URL('./backup-process.js', import.meta.url));

/**
 * Writes a backup in a process of its own.
 * @param signal ends the process at once, and removes what it has written
 * @throws an Error with the reason if there is no backup
 */
export async function backupInProcess(
  path: string,
  folder: string,
  signal?: AbortSignal,
): Promise<BackupManifest> {
  signal?.throwIfAborted();
  // No variable of the environment: it may hold secrets, and flags that are not for this process.
  const child = fork(PROGRAM, [path, folder], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  let outcome: BackupOutcome | undefined;
  child.once('message', (message: BackupOutcome) => {
    outcome = message;
  });
  const [code, by] = await once(child, 'exit').finally(() => signal?.removeEventListener('abort', kill));
  if (outcome && 'manifest' in outcome) {
    return outcome.manifest;
  }
  await rm(`${resolve(folder)}${PARTIAL_MARK}${child.pid}`, { recursive: true, force: true });
  signal?.throwIfAborted();
  throw new Error(outcome?.message ?? `The process of the backup has ended (${by ?? `exit code ${code}`}).`);
}
