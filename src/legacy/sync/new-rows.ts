import { wasTaken } from '../bookkeeping/booked-row.ts';
import { type ImportState, importRows, type TakenAccounts } from '../import/import-rows.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { kindOf } from '../records/kinds.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { prepareDocuments } from './changed-documents.ts';
import type { Round } from './round.ts';
import { takenAccounts } from './taken-accounts.ts';

/** Takes the rows behind the last batch, as an import does. */
export async function syncNew(round: Round, kind: Kind): Promise<void> {
  const { context } = round;
  const last = await context.bookkeeping.last(kind);
  const { count } = await context.source.total(kind, last?.upTo, undefined);
  if (count === 0) {
    return;
  }
  if (kind === 'accounts') {
    await context.bookkeeping.notes.noteChangedAccounts();
  }
  await importRows(context, kindOf(kind), stateOf(round));
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
      records.map((after) => ({ after })),
    );
  },
  booked(kind, rows) {
    changes[kind].added += rows.filter(wasTaken).length;
  },
});

/** The accounts of the rows at hand. A sync has few new rows, so it does not read the ids of all accounts. */
class AccountsHere implements TakenAccounts {
  #taken: ReadonlySet<string> = new Set();

  constructor(private readonly context: Pick<LegacyContext, 'stores' | 'bookkeeping'>) {}

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
