import { statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../cli/command-words.ts';
import { timeReader } from '../source/legacy-time.ts';
import type { Options } from './command.ts';

/** The legacy service, as the command line names it. */
export interface LegacyOptions {
  from: string | undefined;
  filesDir: string | undefined;
  mapFile: string | undefined;
  timeZone: string;
}

/** @throws UsageError */
export function legacyOptions({ from, files, map, timezone = 'UTC' }: Options): LegacyOptions {
  const isZone = attempt(() => timeReader(timezone)) !== undefined;
  if (!isZone) {
    throw new UsageError('--timezone must be a name such as Europe/Berlin, or an offset such as +02:00.');
  }
  if (from !== undefined && !isDatabaseUrl(from)) {
    // Without the address: it may contain a password.
    throw new UsageError('--from must be an address such as mysql://user:password@host:3306/database.');
  }
  const filesDir = files === undefined ? undefined : path.resolve(files);
  if (filesDir !== undefined && !statSync(filesDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--files must be a folder: ${filesDir}`);
  }
  return { from, filesDir, mapFile: map, timeZone: timezone };
}

/** True for the address of a MySQL database with the name of a database. */
export function isDatabaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ['mysql:', 'mariadb:'].includes(url.protocol) && /^\/[^/]+$/.test(url.pathname);
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
