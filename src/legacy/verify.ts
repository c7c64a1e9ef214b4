import { randomInt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type DocumentDigest, digestOf } from '../documents/document-digest.ts';
import { isLegacyPath } from '../documents/stored-path.ts';
import { findSourceFile } from './import/import-files.ts';
import { KeySet } from './import/key-set.ts';
import { type BatchRange, type RecordedRow, wasTaken } from './journal/batch.ts';
import { withTodaysSums } from './journal/earlier-runs.ts';
import type { LegacyContext } from './legacy-context.ts';
import { PROFILES } from './records/profile-kind.ts';
import { TOKENS } from './records/token-kind.ts';
import { KINDS, type Kind } from './source/legacy-tables.ts';
import { type Compared, compareRows, noneCompared } from './verify-rows.ts';

/** What `verify` has found, by kind. */
export type VerifyResult = Record<Kind | 'files', Compared>;

/** How many records are read at a time. */
const PAGE = 2_000;

/**
 * Compares all rows and files of the legacy service with what the gateway has stored. Writes nothing.
 * @param sample compares only so many rows of each kind, and the files of as many profiles; undefined: all
 */
export async function verify(context: LegacyContext, sample: number | undefined): Promise<VerifyResult> {
  const result = {
    accounts: noneCompared(),
    profiles: noneCompared(),
    files: noneCompared(),
    tokens: noneCompared(),
  };
  for (const kind of KINDS) {
    const ranges = await context.journal.ranges(kind);
    if (sample === undefined) {
      await verifyAll(context, kind, ranges, result[kind]);
    } else {
      await verifySome(context, kind, ranges, sample, result[kind]);
    }
  }
  await verifyFiles(context, sample, result.files);
  return result;
}

async function verifyAll(
  context: LegacyContext,
  kind: Kind,
  ranges: readonly BatchRange[],
  result: Compared,
): Promise<void> {
  const { source, journal, observer, signal } = context;
  const known = new KeySet();
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const read = (index: number) => {
    const range = ranges[index];
    const rows = range && source.range(kind, ranges[index - 1]?.upTo, range.upTo);
    // Awaited later. Until then a failure is not an unhandled rejection.
    rows?.catch(() => {});
    return rows;
  };
  let next = read(0);
  for (const [index, { number }] of ranges.entries()) {
    signal.throwIfAborted();
    const after = ranges[index - 1]?.upTo;
    const rows = (await next) ?? [];
    // The legacy database reads the next rows while these are compared.
    next = read(index + 1);
    const batch = await journal.batch(kind, number);
    const recorded = recordedByKey(batch ? (await withTodaysSums(source, batch, after)).rows : []);
    for (const key of recorded.keys()) {
      known.add(key);
    }
    await compareRows(context, kind, recorded, rows, result);
    observer.progress(kind, result.compared, total);
  }
  for (let after = ranges.at(-1)?.upTo; ; ) {
    const rows = await source.page(kind, after, PAGE);
    if (rows.length === 0) {
      break;
    }
    await compareRows(context, kind, new Map(), rows, result);
    after = rows.at(-1)?.key;
  }
  if (kind === 'tokens') {
    await findUnknownTokens(context, known, result);
  }
}

/** Imported tokens that the legacy database does not have, and that no run remembers. */
async function findUnknownTokens(
  { stores, observer }: LegacyContext,
  known: KeySet,
  result: Compared,
): Promise<void> {
  const tokens = TOKENS.stored(stores);
  for (let ids = await tokens.idsAfter('', PAGE); ids.length > 0; ) {
    const unknown = await tokens.byIds(ids.filter((id) => !known.has(id)));
    for (const { _id: id } of [...unknown.values()].filter((token) => TOKENS.isImported(token))) {
      result.different += 1;
      const reason = 'it was imported, but the legacy database does not have it';
      observer.found({ kind: 'tokens', id, outcome: 'differs', reason });
    }
    ids = await tokens.idsAfter(ids.at(-1) ?? '', PAGE);
  }
}

async function verifySome(
  context: LegacyContext,
  kind: Kind,
  ranges: readonly BatchRange[],
  sample: number,
  result: Compared,
): Promise<void> {
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const places = randomPlaces(total, sample);
  let first = 0;
  let after: string | undefined;
  for (const { number, count, upTo } of ranges) {
    const inBatch = places.filter((place) => place >= first && place < first + count);
    if (inBatch.length > 0) {
      context.signal.throwIfAborted();
      const former = await context.journal.batch(kind, number);
      const batch = former && (await withTodaysSums(context.source, former, after));
      const picked = inBatch.map((place) => batch?.rows[place - first]).filter((row) => row !== undefined);
      const recorded = recordedByKey(picked);
      await compareRows(
        context,
        kind,
        recorded,
        await context.source.rows(kind, [...recorded.keys()]),
        result,
      );
      context.observer.progress(kind, result.compared, places.length);
    }
    first += count;
    after = upTo;
  }
}

const recordedByKey = (rows: readonly RecordedRow[]): Map<string, RecordedRow> =>
  new Map(rows.map((row) => [row.key, row]));

/** How many files are read at a time. */
const AT_A_TIME = 4;

/** Compares the files of the imported profiles by their size and SHA-256. */
async function verifyFiles(
  context: LegacyContext,
  sample: number | undefined,
  result: Compared,
): Promise<void> {
  const { journal, filesDir, stores, observer, signal } = context;
  if (filesDir === undefined) {
    return;
  }
  const ranges = await journal.ranges('profiles');
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const places = sample === undefined ? undefined : new Set(randomPlaces(total, sample));
  let place = 0;
  for await (const { rows } of journal.batches('profiles')) {
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

/** Different random numbers below a total. */
function randomPlaces(total: number, count: number): number[] {
  const places = new Set<number>();
  while (places.size < Math.min(count, total)) {
    places.add(randomInt(total));
  }
  return [...places].sort((one, other) => one - other);
}
