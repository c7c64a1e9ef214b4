import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { startEmbeddedMongo } from '../index.ts';
import { sumOf } from '../storage/data-file.ts';
import { backupDataFolder } from '../tools/backup/backup-data-folder.ts';
import { openDataFolder } from '../tools/data-folder.ts';
import { restoreBackup } from '../tools/restore/restore-backup.ts';
import { importInto } from '../tools/transfer/import.ts';
import { type Output, progressBar } from './output.ts';
import { UsageError } from './usage-error.ts';

/** The options of all commands, as util.parseArgs takes them. */
export const OPTIONS = {
  path: { type: 'string' },
  port: { type: 'string' },
  out: { type: 'string' },
  from: { type: 'string' },
  replace: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The values of the options that a command has. */
export interface Values {
  port?: string | undefined;
  out?: string | undefined;
  from?: string | undefined;
  replace?: boolean | undefined;
}

/** What a command works with. */
export interface Context {
  /** The data folder. */
  path: string;
  values: Values;
  print: (line: string) => void;
  output: Output;
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal;
}

/** A command of the command line. */
export interface Command {
  /** Its options besides `--path`, as the help shows them. */
  usage: string;
  summary: string;
  options: readonly (keyof Values)[];
  /** @returns false if it has found what it looked for: problems */
  run(context: Context): Promise<boolean>;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const sizeOf = (bytes: number): string =>
  bytes < MEBIBYTE ? `${Math.ceil(bytes / KIBIBYTE)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

/** All commands, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: '[--port 27017]',
    summary: 'runs the database as a server on this machine, until SIGINT or SIGTERM',
    options: ['port'],
    run: serve,
  },
  verify: {
    usage: '',
    summary: 'compares every index entry with its document, and ends with 1 if one differs',
    options: [],
    run: verify,
  },
  backup: {
    usage: '--out FOLDER',
    summary: 'writes a backup to FOLDER, also while the database is in use',
    options: ['out'],
    run: backup,
  },
  restore: {
    usage: '--from FOLDER [--replace]',
    summary:
      'checks the backup in FOLDER and restores it. With --replace, it replaces an\n      existing database, which stays in a folder replaced-<time>',
    options: ['from', 'replace'],
    run: restore,
  },
  export: {
    usage: '[--out export]',
    summary: 'writes every collection as Extended JSON, and the indexes, to a folder',
    options: ['out'],
    run: exportTo,
  },
  import: {
    usage: '--from FOLDER',
    summary: 'imports what export has written: all of it, or nothing if something is wrong',
    options: ['from'],
    run: importFrom,
  },
};

async function serve({ path, values, print, signal }: Context): Promise<boolean> {
  const engine = await startEmbeddedMongo({ path, port: portOf(values.port ?? '27017') });
  print(`embedded database in ${path}: ${engine.uri}`);
  if (!signal.aborted) {
    await new Promise((stop) => signal.addEventListener('abort', stop));
  }
  await engine.stop();
  return true;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new UsageError('--port must be a number from 0 to 65535.');
  }
  return port;
}

async function verify({ path, print }: Context): Promise<boolean> {
  const data = openDataFolder(path);
  const { collections, documents, entries, problems } = data.verify();
  await data.close();
  for (const problem of problems) {
    print(problem);
  }
  print(
    `${collections} collections, ${documents} documents, ${entries} index entries, ${problems.length} problems`,
  );
  return problems.length === 0;
}

async function backup({ path, values, print, signal }: Context): Promise<boolean> {
  const folder = resolve(required('out', values.out));
  const { bytes, sha256, collections } = await backupDataFolder(path, folder, { signal });
  print(`${folder}: ${collections.length} collections, ${sumOf(collections)} documents, ${sizeOf(bytes)}`);
  print(`SHA-256 of data.mdb: ${sha256}`);
  return true;
}

async function restore({ path, values, print, signal }: Context): Promise<boolean> {
  const from = required('from', values.from);
  const options = { replace: values.replace, signal, onStep: (step: string) => print(`${step} …`) };
  const { manifest, former } = await restoreBackup(path, from, options);
  print(`${resolve(path)}: ${sumOf(manifest.collections)} documents as of ${manifest.time}, verified`);
  if (former) {
    print(`The former database is in ${former}. Remove it when you no longer need it.`);
  }
  return true;
}

async function exportTo({ path, values, print, output }: Context): Promise<boolean> {
  const data = openDataFolder(path);
  const files = await data.exportTo(values.out ?? 'export', progressBar(output, 'documents'));
  await data.close();
  print(files.join('\n'));
  return true;
}

async function importFrom({ path, values, print, output, signal }: Context): Promise<boolean> {
  const from = required('from', values.from);
  if (!existsSync(from)) {
    throw new Error(`There is no folder ${from}.`);
  }
  const onProgress = progressBar(output, 'bytes');
  const { collections, hasIndexes } = await importInto(path, from, { signal, onProgress });
  print(`${resolve(path)}: ${collections.length} collections, ${sumOf(collections)} documents`);
  if (!hasIndexes) {
    print('The export has no collections.json, so only the indexes on _id exist.');
  }
  return true;
}

function required(option: string, value: string | undefined): string {
  if (!value) {
    throw new UsageError(`This command needs --${option} FOLDER.`);
  }
  return value;
}
