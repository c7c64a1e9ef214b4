// The public face of '@auth-gateway/embedded-mongo/tools'.
export { backupDataFolder, PARTIAL_MARK } from './tools/backup.ts';
export { type DataFolder, openDataFolder } from './tools/data-folder.ts';
export { type BackupManifest, readManifest } from './tools/manifest.ts';
export type { StoredCollection } from './tools/read.ts';
