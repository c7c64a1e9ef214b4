import { createReadStream } from 'node:fs';
import { type DocumentDigest, digestOf } from '../../documents/document-digest.ts';
import { isLegacyPath } from '../../documents/stored-path.ts';
import { wasTaken } from '../bookkeeping/booked-row.ts';
import { findSourceFile } from '../files/source-file.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { randomPlaces } from './random-places.ts';
import type { Compared } from './verify-rows.ts';

/** How many files are read at a time. */
const AT_A_TIME = 4;

/** Compares the files of the imported profiles by their size and SHA-256. */
export async function verifyFiles(
  context: LegacyContext,
  sample: number | undefined,
  result: Compared,
): Promise<void> {
  const { bookkeeping, filesDir, stores, observer, signal } = context;
  if (filesDir === undefined) {
    return;
  }
  const ranges = await bookkeeping.ranges('profiles');
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const places = sample === undefined ? undefined : new Set(randomPlaces(total, sample));
  let place = 0;
  for await (const { rows } of bookkeeping.batches('profiles')) {
    const first = place;
    place += rows.length;
    const picked = rows.filter((row, index) => wasTaken(row) && (places?.has(first + index) ?? true));
    const ids = picked.map(({ key }) => key);
    const profiles = await PROFILES.stored(stores).byIds(ids);
    const all = [...profiles.values()].flatMap((profile) => PROFILES.documentsOf(profile));
    const paths = all.filter(isLegacyPath).values();
    const work = async () => {
      for (const storedPath of paths) {
        signal.throwIfAborted();
        await compareFile(context, filesDir, storedPath, result);
        observer.progress('files', result.compared, undefined);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }
}

async function compareFile(
  { documents, observer }: LegacyContext,
  filesDir: string,
  storedPath: string,
  result: Compared,
): Promise<void> {
  result.compared += 1;
  const source = await findSourceFile(filesDir, storedPath);
  const there = source && (await digestOf(createReadStream(source.path)));
  const stored = await documents.open(storedPath);
  const here = stored && (await digestOf(stored).catch(asUnreadable));
  if (!there && !here) {
    // The import has reported it.
    result.notTaken += 1;
    return;
  }
  const isSame =
    here !== 'unreadable' && here?.sha256 === there?.sha256 && here?.sizeBytes === there?.sizeBytes;
  if (isSame) {
    return;
  }
  result.different += 1;
  const outcome = here ? 'differs' : 'missing';
  observer.found({ kind: 'files', id: storedPath, outcome, reason: reasonOf(there, here) });
}

const asUnreadable = (): 'unreadable' => 'unreadable';

function reasonOf(
  there: DocumentDigest | undefined,
  here: DocumentDigest | 'unreadable' | undefined,
): string {
  if (!there || !here) {
    return there ? 'the file is not here' : 'the legacy service does not have it any more';
  }
  if (here === 'unreadable') {
    return 'the document cannot be read';
  }
  return here.sizeBytes === there.sizeBytes ? 'the content' : 'the size';
}
