import type { IdStore } from '../../stores/ids.ts';
import { kindOf } from '../records/kinds.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** Keeps the counters of new ids above all imported ids, if those are numbers. */
export class CounterRaiser {
  readonly #raised = new Map<Kind, bigint>();

  constructor(
    private readonly ids: IdStore,
    private readonly source: LegacyDatabase,
  ) {}

  /**
   * Raises the counters above all ids that the legacy database has now, and above those of rows that it has deleted: nobody
   * gets the id of another person, to whom records of other tables still belong. Call it before the first row is stored.
   */
  async raiseAll(): Promise<void> {
    for (const kind of ['accounts', 'tokens'] as const) {
      // The larger one first, so that one write is enough.
      await this.raise(kind, (await this.source.lastGivenKey(kind)) ?? '');
      await this.raise(kind, (await this.source.lastKey(kind)) ?? '');
    }
  }

  /** Raises the counter if an id that is about to be stored is above it. */
  async raise(kind: Kind, key: string): Promise<void> {
    const { counter } = kindOf(kind);
    if (counter === undefined || !/^\d{1,20}$/.test(key)) {
      return;
    }
    const value = BigInt(key);
    if (value > (this.#raised.get(kind) ?? 0n)) {
      await this.ids.raise({ [counter]: value });
      this.#raised.set(kind, value);
    }
  }
}
