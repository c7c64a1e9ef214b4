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
/** The process that wanted the backup has died. An ordinary exit would wait until LMDB has copied everything. */
const end = () => {
  rmSync(partialFolder(folder, process.pid), { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
};
process.once('disconnect', end);
// It may have died before this program was loaded. That event has passed.
if (!process.connected) {
  end();
}
const outcome: BackupOutcome = await writeBackup(path, folder).then(
  (manifest) => ({ manifest }),
  (error: Error) => ({ message: error.message }),
);
process.send?.(outcome, () => process.exit());
