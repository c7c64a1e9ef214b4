import type { KeySet } from '../import/key-set.ts';
import { type AnyRecord, findRecords, recordKindOf, type StoredRecords } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BackState, bookRows, CHUNK, legacyKeyOf, notWritten } from './back-state.ts';
import type { Written } from './legacy-writer.ts';

/** The records of a kind that the legacy database does not know, in groups. */
export async function* newRecords<K extends Kind>(
  { context: { models, signal } }: BackState,
  kind: K,
  isKnown: (id: string) => boolean,
  filter: object = {},
): AsyncGenerator<StoredRecords[K][]> {
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const wanted = { ...filter, _id: { $gt: after } };
    const page = await findRecords(models, kind, wanted, { sort: { _id: 1 }, limit: CHUNK });
    if (page.length === 0) {
      return;
    }
    const unknown = page.filter(({ _id }) => !isKnown(_id));
    if (unknown.length > 0) {
      yield unknown;
    }
    after = page.at(-1)?._id ?? '';
  }
}

/** True for a key that is among the rows of earlier runs. */
export const isIn =
  (known: KeySet) =>
  (id: string): boolean =>
    known.has(id);

/** The rows of one kind that a transaction adds. */
export class Additions {
  /** The keys in the legacy database by the ids of the records. */
  readonly keys = new Map<string, string>();
  readonly #digests = new Map<string, string>();
  #added = 0;

  constructor(
    private readonly state: BackState,
    private readonly kind: Kind,
  ) {}

  /** Notes what has become of a record, and reports it if it was not written. */
  note(record: AnyRecord, { id, isOld = false, reason }: Written): void {
    if (id === undefined) {
      notWritten(this.state, this.kind, record._id, reason);
      return;
    }
    this.keys.set(record._id, id);
    this.state.added[this.kind].add(id);
    this.#added += isOld ? 0 : 1;
    // With another id there, the row is not this record: `sync` must not touch it.
    if (id === record._id) {
      this.#digests.set(id, recordKindOf(this.kind).digestOf(record));
    }
  }

  /** Remembers the rows, after the transaction. */
  async remember(): Promise<void> {
    this.state.written[this.kind].added += this.#added;
    await bookRows(this.state, this.kind, [...this.keys.values()], this.#digests);
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
