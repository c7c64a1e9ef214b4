import { wasTaken } from '../bookkeeping/booked-row.ts';
import { type ImportState, importRows, type TakenAccounts } from '../import/import-rows.ts';
import { ACCOUNT_ROWS, PROFILE_ROWS, type RowKind, TOKEN_ROWS } from '../import/row-kinds.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { prepareDocuments } from './changed-documents.ts';
import type { Round } from './round.ts';
import { takenAccounts } from './taken-accounts.ts';

const ROWS = { accounts: ACCOUNT_ROWS, profiles: PROFILE_ROWS, tokens: TOKEN_ROWS };

/** How rows of a kind become records, for code that treats all kinds alike. */
export const rowKindOf = (kind: Kind): RowKind<AnyRecord> => ROWS[kind] as unknown as RowKind<AnyRecord>;

/** Takes the rows behind the last batch, as an import does. */
export async function syncNew(round: Round, kind: Kind): Promise<void> {
  const { context } = round;
  const last = await context.bookkeeping.last(kind);
  const { count } = await context.source.total(kind, last?.upTo, undefined);
  if (count === 0) {
    return;
  }
  if (kind === 'accounts') {
    await context.bookkeeping.noteChangedAccounts();
  }
  await importRows(context, rowKindOf(kind), stateOf(round));
}

const stateOf = ({ context, run, conversion, changes, counters }: Round): ImportState => ({
  run,
  now: conversion.now,
  erased: conversion.erased,
  counters,
  taken: new AccountsHere(context),
  async beforeStoring(kind, records) {
    await prepareDocuments(
      context,
      kind,
      (records as AnyRecord[]).map((record) => ({ record })),
    );
  },
  booked(kind, rows) {
    changes[kind].added += rows.filter(wasTaken).length;
  },
});

/** The accounts of the rows at hand. A sync has few new rows, so it does not read the ids of all accounts. */
class AccountsHere implements TakenAccounts {
  #taken: ReadonlySet<string> = new Set();

  constructor(private readonly context: Pick<LegacyContext, 'models' | 'bookkeeping'>) {}

  async lookFor(ids: readonly string[]): Promise<void> {
    this.#taken = await takenAccounts(this.context, ids);
  }

  has(id: string): boolean {
    return this.#taken.has(id);
  }

  add(): boolean {
    return true;
  }
}
