import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { openDocumentStore } from '../../app/storage.ts';
import type { Config } from '../../config/config.ts';
import { DOCUMENT_GROUPS, type DocumentGroup, type DocumentStore } from '../../documents/document-store.ts';
import { QUARANTINE_FOLDER, Quarantine } from '../../documents/quarantine.ts';
import { TRASH_DAYS } from '../../stores/doctors.ts';
import { messageOf } from '../../system/system-errors.ts';
import { asError, type Check, error, type Finding, note, ok } from './check.ts';
import { nearestFolder, sizeOf } from './disk-check.ts';

/** Small: what is tested is the path. */
const DOCUMENT_BYTES = 8_192;

/** A document on the path of an upload: into quarantine, into the store, back, and removed again. */
export const documentCheck: Check = {
  name: 'documents',
  maxMillis: 30_000,
  async *run({ config }, signal) {
    const made = (await isPrepared(config)) ? '' : await makeTrialFolder(config.storageDir).catch(asError);
    if (made instanceof Error) {
      yield cannotStore(made, config);
      return;
    }
    const trial = made === '' ? undefined : made;
    const storageDir = trial ?? config.storageDir;
    const store = await openDocumentStore({ storageDir, s3: config.s3 });
    const quarantine = new Quarantine(storageDir, config.maxFileBytes);
    const startedAt = performance.now();
    try {
      await quarantine.prepare();
      await store.prepare();
      // On a disk each group is a folder, with an owner and a mode of its own.
      for (const group of config.s3 ? DOCUMENT_GROUPS.slice(0, 1) : DOCUMENT_GROUPS) {
        signal.throwIfAborted();
        await roundTrip(group, store, quarantine);
      }
      const millis = Math.ceil(performance.now() - startedAt);
      yield ok(`Documents were stored in ${placeOf(config)}, read back and removed (${millis} ms).`);
      yield* trashFindings(store, signal);
    } catch (failure) {
      signal.throwIfAborted();
      yield cannotStore(failure, config);
    } finally {
      await store.close();
      if (trial !== undefined) {
        await rm(trial, { recursive: true, force: true });
      }
    }
  },
};

/** What the sweep keeps on the disk or in the bucket. */
async function* trashFindings({ trash }: DocumentStore, signal: AbortSignal): AsyncGenerator<Finding> {
  let [documents, bytes] = [0, 0];
  for await (const { sizeBytes } of trash.list()) {
    signal.throwIfAborted();
    documents += 1;
    bytes += sizeBytes;
  }
  if (documents > 0) {
    const text = `The trash of the sweep has ${documents === 1 ? '1 document' : `${documents} documents`} (${sizeOf(bytes)}). Each is deleted after ${TRASH_DAYS} days.`;
    yield note(text, 'If documents are missing, bring them back: auth-gateway sweep --restore.');
  }
}

const placeOf = ({ s3, storageDir }: Pick<Config, 's3' | 'storageDir'>): string =>
  s3 ? `the bucket ${s3.bucket}` : storageDir;

/** True if a gateway has made its folders. Otherwise the checker would have to leave new ones behind. */
async function isPrepared({ storageDir, s3 }: Config): Promise<boolean> {
  const folders = [QUARANTINE_FOLDER, ...(s3 ? [] : DOCUMENT_GROUPS)];
  const found = folders.map((folder) =>
    stat(path.join(storageDir, folder)).then(
      (entry) => entry.isDirectory(),
      () => false,
    ),
  );
  return (await Promise.all(found)).every(Boolean);
}

/** A folder on the disk of the later ones. */
const makeTrialFolder = async (storageDir: string): Promise<string> =>
  mkdtemp(path.join(await nearestFolder(storageDir), '.auth-gateway-doctor-'));

async function roundTrip(group: DocumentGroup, store: DocumentStore, quarantine: Quarantine): Promise<void> {
  const content = randomBytes(DOCUMENT_BYTES);
  const file = await quarantine.receive(Readable.from([content]), 'doctor.pdf');
  // Nobody checks its content.
  file.extension = 'pdf';
  let storedPath: string | undefined;
  try {
    storedPath = await store.keep(group, file);
    if (!(await contentOf(store, storedPath))?.equals(content)) {
      throw new Error('a document is read with other content than was stored');
    }
  } finally {
    await quarantine.discard(file.path);
    if (storedPath !== undefined) {
      await store.remove(storedPath);
    }
  }
  if (await contentOf(store, storedPath)) {
    throw new Error('a removed document can still be read');
  }
}

async function contentOf(store: DocumentStore, storedPath: string): Promise<Buffer | undefined> {
  const stream = await store.open(storedPath);
  return stream && Buffer.concat(await stream.toArray());
}

function cannotStore(failure: unknown, config: Config): Finding {
  const cause =
    failure instanceof Error && failure.cause !== undefined ? `: ${messageOf(failure.cause)}` : '';
  const todo = config.s3
    ? 'Check S3_BUCKET, S3_REGION, S3_ENDPOINT and the credentials: docs/operations.md, "Documents in S3", lists the permissions that are needed.'
    : "Check the disk, and that the gateway's user can write to STORAGE_DIR.";
  return error(`Documents cannot be stored in ${placeOf(config)}: ${messageOf(failure)}${cause}.`, todo);
}
