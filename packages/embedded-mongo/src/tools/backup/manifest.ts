import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectionCount } from '../../storage/data-file.ts';

/** Its presence makes a folder a complete backup: it is written last. */
export const MANIFEST_FILE = 'backup.json';
const MANIFEST_VERSION = 1;

/** What a backup says about itself. */
export interface BackupManifest {
  /** The version of this description. */
  backup: typeof MANIFEST_VERSION;
  /** When the backup began, in UTC (ISO 8601). It has everything that was acknowledged before. */
  time: string;
  /** The version of this package that wrote it. */
  version: string;
  /** The size of data.mdb. */
  bytes: number;
  /** The SHA-256 of data.mdb, in hexadecimal. */
  sha256: string;
  /** In the order of their names. */
  collections: CollectionCount[];
}

/** The manifest of a new backup. */
export const manifestOf = (facts: Omit<BackupManifest, 'backup' | 'version'>): BackupManifest => ({
  backup: MANIFEST_VERSION,
  version: packageVersion(),
  ...facts,
});

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}

/**
 * Reads the manifest of a backup.
 * @throws an Error that names the folder if it has none, or one that this version cannot read
 */
export function readManifest(folder: string): BackupManifest {
  const manifest = parse(folder);
  if (manifest?.backup !== MANIFEST_VERSION) {
    throw new Error(
      `${join(folder, MANIFEST_FILE)} is not from a version of backups that this program reads.`,
    );
  }
  return manifest;
}

function parse(folder: string): BackupManifest | undefined {
  const file = join(folder, MANIFEST_FILE);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '');
    const problem = isMissing ? `${folder} is not a complete backup: it has no ${MANIFEST_FILE}.` : '';
    throw new Error(problem || `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
