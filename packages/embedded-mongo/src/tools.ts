// The public face of '@auth-gateway/embedded-mongo/tools'.
export { runCommandLine } from './cli/run-command-line.ts';
export { type BackupOptions, backupDataFolder } from './tools/backup/backup-data-folder.ts';
export { type BackupManifest, readManifest } from './tools/backup/manifest.ts';
export { PARTIAL_MARK } from './tools/backup/partial-folder.ts';
export { type DataFolder, openDataFolder } from './tools/data-folder.ts';
export type { StoredCollection } from './tools/read.ts';
export { restoreBackup } from './tools/restore/restore-backup.ts';
export { importInto } from './tools/transfer/import.ts';
