import type { Stores } from '../../stores/stores.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { findSourceFile, missingFile, type SourceFile } from './import-files.ts';
import { type ConvertedRows, convertRows, findingOf } from './import-legacy.ts';
import { type NewRecord, outcomeOf } from './insert-records.ts';
import { KeySet } from './key-set.ts';
import { readPages } from './pipeline.ts';

/** What a rehearsal needs. Without `stores` and `stores` it does not ask what the gateway has already. */
export type RehearsalContext = Pick<
  LegacyContext,
  'source' | 'filesDir' | 'readTime' | 'policy' | 'clock' | 'observer' | 'signal'
> &
  Partial<Pick<LegacyContext, 'stores'>>;

/** Called for each row and each existing file. */
export interface RehearsalVisitor {
  row?(kind: Kind, row: LegacyRow, record: object | undefined): void;
  file?(storedPath: string, file: SourceFile): void;
}

/** How many rows and files an import would take. */
export type WouldTake = Record<Kind | 'files', number>;

/** Reads and converts everything like an import, and reports the same findings, but writes nothing. */
export async function rehearse(
  context: RehearsalContext,
  visitor: RehearsalVisitor = {},
): Promise<WouldTake> {
  const taken = new KeySet();
  const accounts = await rehearseRows(context, ACCOUNTS, taken, visitor);
  let files = 0;
  const profiles = await rehearseRows(context, PROFILES, taken, visitor, async (records) => {
    for (const path of records.flatMap(({ record }) => PROFILES.documentsOf(record))) {
      files += (await lookForFile(context, path, visitor)) ? 1 : 0;
    }
  });
  const tokens = await rehearseRows(context, TOKENS, taken, visitor);
  return { accounts, profiles, tokens, files };
}

async function rehearseRows<T extends { _id: string }>(
  { source, stores, observer, readTime, policy, clock, signal }: RehearsalContext,
  recordKind: RecordKind<T>,
  taken: KeySet,
  visitor: RehearsalVisitor,
  use: (records: NewRecord<T>[]) => Promise<void> = async () => {},
): Promise<number> {
  const { name: kind } = recordKind;
  const erased = (await stores?.erasures.ids()) ?? new Set<string>();
  const conversion = { readTime, now: new Date(clock.now()), policy, erased };
  const total = await source.count(kind);
  const uniqueKeys = new KeySet();
  let done = 0;
  let count = 0;
  observer.progress(kind, 0, total);
  for await (const page of readPages(source, kind, undefined)) {
    const converted = convertRows(page, recordKind, conversion, taken);
    if (stores) {
      await refuseStored(converted, recordKind, stores);
    }
    for (const [index, row] of page.entries()) {
      const unique = converted.records[index] && recordKind.uniqueKey(converted.records[index].record);
      if (unique !== undefined && !uniqueKeys.add(unique)) {
        converted.records[index] = undefined;
        converted.findings.push(findingOf(kind, row.key, 'other with this e-mail'));
      }
      visitor.row?.(kind, row, converted.records[index]?.record);
      if (kind === 'accounts' && converted.records[index]) {
        taken.add(row.key);
      }
    }
    for (const finding of converted.findings) {
      observer.found(finding);
    }
    const records = converted.records.filter((record) => record !== undefined);
    await use(records);
    count += records.length;
    done += page.length;
    observer.progress(kind, done, total);
    signal.throwIfAborted();
  }
  return count;
}

/** Takes out the records that the gateway's database would refuse. */
async function refuseStored<T extends { _id: string }>(
  { rows, records, findings }: ConvertedRows<T>,
  kind: RecordKind<T>,
  stores: Stores,
): Promise<void> {
  const wanted = records.filter((record) => record !== undefined).map(({ record }) => record);
  const keys = wanted.map((record) => kind.uniqueKey(record)).filter((key) => key !== undefined);
  const byId = await kind.stored(stores).byIds(wanted.map(({ _id }) => _id));
  const holders = [...byId.values(), ...(await kind.holdersOf(stores, keys))];
  const taken = new Set(holders.map((record) => kind.uniqueKey(record)));
  for (const [index, record] of records.entries()) {
    if (!record) {
      continue;
    }
    const key = kind.uniqueKey(record.record);
    const isKnown = byId.has(record.record._id) || (key !== undefined && taken.has(key));
    const outcome = isKnown ? outcomeOf(record, byId, kind) : 'stored';
    if (outcome !== 'stored') {
      records[index] = undefined;
      findings.push(findingOf(kind.name, rows[index]?.key ?? '', outcome));
    }
  }
}

async function lookForFile(
  { filesDir, observer }: RehearsalContext,
  storedPath: string,
  visitor: RehearsalVisitor,
): Promise<boolean> {
  if (filesDir === undefined) {
    return false;
  }
  const file = await findSourceFile(filesDir, storedPath);
  if (!file) {
    observer.found(missingFile(storedPath));
    return false;
  }
  visitor.file?.(storedPath, file);
  return true;
}
