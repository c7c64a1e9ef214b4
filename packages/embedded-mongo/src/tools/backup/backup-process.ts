import { rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { BackupManifest } from './manifest.ts';
import { partialFolder } from './partial-folder.ts';
import { writeBackup } from './write-backup.ts';

/** The only message of this process. */
export type BackupOutcome = { manifest: BackupManifest } | { message: string };

/*
 * node backup-process.js DATA_FOLDER BACKUP_FOLDER, started by backupDataFolder.
 */
const [path = '', folder = ''] = process.argv.slice(2);
try {
  // Requests come first.
  setPriority(10);
} catch {
  // A sandbox may forbid it.
}
// The process that wanted the backup has died. An ordinary exit would wait until LMDB has copied everything.
process.once('disconnect', () => {
  rmSync(partialFolder(folder, process.pid), { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
});
const outcome: BackupOutcome = await writeBackup(path, folder).then(
  (manifest) => ({ manifest }),
  (error: Error) => ({ message: error.message }),
);
process.send?.(outcome, () => process.exit());
