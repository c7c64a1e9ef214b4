import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { maxBodyBytes } from '../../api/http/request-limits.ts';
import { DOCUMENT_GROUPS } from '../../documents/document-store.ts';
import { systemErrorCode } from '../../system/system-errors.ts';
import { type Check, type Examined, error, type Finding, note, ok, warning } from './check.ts';

const MEBIBYTE = 1_048_576;
const MIN_DATA_BYTES = 64 * MEBIBYTE;
const FREE_DATA_BYTES = 1_024 * MEBIBYTE;

/** A folder of the gateway, and the space that it needs. */
interface Place {
  setting: string;
  folder: string;
  /** With less, it fails now or soon. */
  minBytes: number;
  /** With less, it may be filled up. */
  wantedBytes: number;
  /** True if nobody else has any business in it. */
  isPrivate: boolean;
}

/** The folders of the gateway: who they belong to, who can read them, and the space that is left. */
export const diskCheck: Check = {
  name: 'disk',
  maxMillis: 10_000,
  async *run(examined) {
    for (const place of placesOf(examined)) {
      yield* judgePlace(place);
    }
    if (!examined.config.s3) {
      yield* judgeGroups(examined.config.storageDir);
    }
  },
};

function placesOf({ config }: Examined): Place[] {
  const { database, storageDir, maxFileBytes, uploadCapacity, backup } = config;
  const needed = { minBytes: MIN_DATA_BYTES, wantedBytes: FREE_DATA_BYTES, isPrivate: true };
  return [
    ...(database.kind === 'embedded' ? [{ setting: 'DATA_DIR', folder: database.dataDir, ...needed }] : []),
    ...(backup ? [{ setting: 'BACKUP_DIR', folder: backup.dir, ...needed }] : []),
    {
      // Uploads wait there for their checks, also with DOCUMENT_STORE=s3.
      setting: 'STORAGE_DIR',
      folder: storageDir,
      minBytes: maxBodyBytes(maxFileBytes),
      wantedBytes: uploadCapacity.all.bytes,
      // An operator may share it with a legacy service. Its folders are looked at one by one.
      isPrivate: false,
    },
  ];
}

async function* judgePlace(place: Place): AsyncGenerator<Finding> {
  const { setting, folder, isPrivate } = place;
  const existing = await nearestFolder(folder).catch((failure: Error) => failure);
  if (existing instanceof Error) {
    yield error(
      `${setting} cannot be used: ${existing.message}.`,
      'Set it to a folder, or to a path that does not exist yet.',
    );
    return;
  }
  if (existing !== folder) {
    yield note(`${folder} (${setting}) does not exist yet: the first start creates it in ${existing}.`);
  } else if (isPrivate) {
    yield* judgeOwner(place);
  }
  const obstacle = await access(existing, constants.W_OK | constants.X_OK).then(
    () => undefined,
    (failure: unknown) => systemErrorCode(failure) ?? 'unknown',
  );
  if (obstacle === 'EROFS') {
    const todo =
      'With systemd, let the unit write there: ReadWritePaths= (docs/operations/backup.md, "Scheduled backups"). The folder must exist before.';
    yield error(`${existing} (${setting}) can only be read here.`, todo);
    return;
  }
  if (obstacle !== undefined) {
    const todo = "Make the gateway's user its owner, and run the checker as that user.";
    yield error(`This user cannot write to ${existing} (${setting}).`, todo);
    return;
  }
  yield await judgeFreeSpace(place, existing);
}

/** Files that another user makes there, such as root, would keep the gateway out. */
async function* judgeOwner({ setting, folder }: Place): AsyncGenerator<Finding> {
  const { mode, uid } = await stat(folder);
  if (process.getuid?.() !== undefined && uid !== process.getuid()) {
    const todo = 'Run the checker and all commands as the user of the gateway.';
    yield warning(`${folder} (${setting}) belongs to another user than the one who runs the checker.`, todo);
  }
  if ((mode & 0o077) !== 0) {
    yield warning(
      `Other users can open ${folder} (${setting}), which contains health data.`,
      `chmod 700 ${folder}`,
    );
  }
}

async function judgeFreeSpace({ setting, minBytes, wantedBytes }: Place, folder: string): Promise<Finding> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${sizeOf(free)} are free in ${folder} (${setting})`;
  if (free < minBytes) {
    return error(
      `${text}, less than ${sizeOf(minBytes)}.`,
      'Make space: docs/operations/runbook.md, "The disk is full".',
    );
  }
  if (files > 0 && ffree < 1_000) {
    return error(
      `Only ${ffree} more files fit on the disk of ${folder} (${setting}: inodes).`,
      'Remove files of other programs, or use a disk with more inodes.',
    );
  }
  const todo = 'Plan for more space. With METRICS=on, Prometheus can warn you in time.';
  return free < wantedBytes
    ? warning(`${text}, less than the ${sizeOf(wantedBytes)} that it may need at once.`, todo)
    : ok(`${text}.`);
}

/** The names of documents are the secret part of their URLs. */
async function* judgeGroups(storageDir: string): AsyncGenerator<Finding> {
  const open: string[] = [];
  for (const group of DOCUMENT_GROUPS) {
    const folder = path.join(storageDir, group);
    const mode = await stat(folder).then(
      (found) => found.mode,
      () => 0,
    );
    if ((mode & 0o005) !== 0) {
      open.push(folder);
    }
  }
  if (open.length > 0) {
    yield warning(
      `Every user of this machine can read the documents in ${open.join(', ')}.`,
      `chmod 700 ${open.join(' ')}`,
    );
  }
  const isRefused = await readdir(storageDir).then(
    () => false,
    (failure: unknown) => systemErrorCode(failure) === 'EACCES',
  );
  if (isRefused) {
    yield error(`This user cannot read ${storageDir} (STORAGE_DIR).`, "Make the gateway's user its owner.");
  }
}

/**
 * Finds the folder itself if it exists, else the nearest folder above it that does.
 * @throws an error for people if one of these names belongs to something else
 */
export async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw new Error(`${folder} is not a folder`);
  }
  const parent = path.dirname(folder);
  return found || parent === folder ? folder : nearestFolder(parent);
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size for people. */
export function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1_024 && unit < UNITS.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return `${size >= 10 || unit === 0 ? size.toFixed(0) : size.toFixed(1)} ${UNITS[unit]}`;
}
