import { setPriority } from 'node:os';
import { backupDataFolder } from './tools/backup.ts';
import type { BackupManifest } from './tools/manifest.ts';

/** The only message of this process. */
export type BackupOutcome = { manifest: BackupManifest } | { message: string };

/*
 * node backup-process.js DATA_FOLDER BACKUP_FOLDER, started by EmbeddedMongo.backup. A process of its own takes neither the
 * engine's thread nor libuv's threads, and can be ended at any moment, even if the disk of the backup hangs.
 */
const [path = '', folder = ''] = process.argv.slice(2);
// Requests come first.
setPriority(10);
// The process that wanted the backup has died.
process.once('disconnect', () => process.exit(1));
const outcome: BackupOutcome = await backupDataFolder(path, folder).then(
  (manifest) => ({ manifest }),
  (error: Error) => ({ message: error.message }),
);
process.send?.(outcome, () => process.disconnect());
