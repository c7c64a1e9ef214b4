import { type ImportState, importRows, type TakenAccounts } from '../import/import-legacy.ts';
import { wasTaken } from '../journal/batch.ts';
import { takenAccounts } from '../journal/taken-accounts.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { kindOf } from '../records/kinds.ts';
import type { Kind } from '../source/legacy-tables.ts';
import type { Round } from './round.ts';
import { prepareDocuments } from './store-rows.ts';

/** Takes the rows behind the last batch, as an import does. */
export async function syncNew(round: Round, kind: Kind): Promise<void> {
  const { context } = round;
  const last = await context.journal.last(kind);
  const { count } = await context.source.total(kind, last?.upTo, undefined);
  if (count === 0) {
    return;
  }
  if (kind === 'accounts') {
    await context.journal.notes.noteChangedAccounts();
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
  recorded(kind, rows) {
    changes[kind].added += rows.filter(wasTaken).length;
  },
});

/** The accounts of the rows at hand. A sync has few new rows, so it does not read the ids of all accounts. */
class AccountsHere implements TakenAccounts {
  #taken: ReadonlySet<string> = new Set();

  constructor(private readonly context: Pick<LegacyContext, 'stores' | 'journal'>) {}

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
