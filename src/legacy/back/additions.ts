import { pagesOf } from '../../stores/bulk-records.ts';
import type { KeySet } from '../import/key-set.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { type BackState, bookRows, CHUNK, legacyKeyOf, notWritten } from './back-state.ts';
import type { Written } from './legacy-writer.ts';

/** The records of a kind that the legacy database does not know, in groups. */
export async function* newRecords<T extends { _id: string }>(
  { context: { stores, signal } }: BackState,
  kind: RecordKind<T>,
  isKnown: (id: string) => boolean,
): AsyncGenerator<T[]> {
  for await (const page of pagesOf(kind.stored(stores), CHUNK)) {
    signal.throwIfAborted();
    const unknown = page.filter(({ _id }) => !isKnown(_id));
    if (unknown.length > 0) {
      yield unknown;
    }
  }
}

/** True for a key that is among the rows of earlier runs. */
export const isIn =
  (known: KeySet) =>
  (id: string): boolean =>
    known.has(id);

/** The rows of one kind that a transaction adds. */
export class Additions<T extends { _id: string }> {
  /** The keys in the legacy database by the ids of the records. */
  readonly keys = new Map<string, string>();
  readonly #digests = new Map<string, string>();
  #added = 0;

  constructor(
    private readonly state: BackState,
    private readonly kind: RecordKind<T>,
  ) {}

  /** Notes what has become of a record, and reports it if it was not written. */
  note(record: T, { id, isOld = false, reason }: Written): void {
    if (id === undefined) {
      notWritten(this.state, this.kind.name, record._id, reason);
      return;
    }
    this.keys.set(record._id, id);
    this.state.added[this.kind.name].add(id);
    this.#added += isOld ? 0 : 1;
    // With another id there, the row is not this record: `sync` must not touch it.
    if (id === record._id) {
      this.#digests.set(id, this.kind.digestOf(record));
    }
  }

  /** Remembers the rows, after the transaction. */
  async remember(): Promise<void> {
    this.state.written[this.kind.name].added += this.#added;
    await bookRows(this.state, this.kind.name, [...this.keys.values()], this.#digests);
  }
}

/** The key of an account in the legacy database; undefined if it is not there. */
export async function ownerThere(state: BackState, accountId: string): Promise<string | undefined> {
  const key = legacyKeyOf(state, accountId);
  if (key === undefined || state.added.accounts.has(key)) {
    return key;
  }
  const [row] = await state.context.source.rows('accounts', [key]);
  return row?.key;
}
