import type { BatchKind } from '../../bookkeeping/batch.ts';
import { wasTaken } from '../../bookkeeping/booked-row.ts';
import type { Bookkeeping } from '../../bookkeeping/bookkeeping.ts';
import type { Run } from '../../bookkeeping/runs.ts';
import { findingLines, type RunReport } from './run-report.ts';

const KINDS: readonly BatchKind[] = ['accounts', 'profiles', 'files', 'tokens'];

/** The summary of an import, for people and for programs. */
export async function summaryOf(
  bookkeeping: Bookkeeping,
  { _id, startedAt, options }: Run,
  { counts, folder }: RunReport,
  endedAt: Date,
): Promise<{ text: string[]; json: object }> {
  const taken: Record<string, number> = {};
  for (const kind of KINDS) {
    taken[kind] = await countTaken(bookkeeping, kind);
  }
  const { groups } = counts;
  const text = [
    `Import ${_id}, begun ${startedAt.toISOString()}, ended ${endedAt.toISOString()}`,
    ...Object.entries(taken).map(([kind, count]) => `  ${count} ${kind} taken`),
    ...findingLines(groups),
    `Every row that was not taken: ${folder}/report.ndjson`,
  ];
  const json = { event: 'summary', run: _id, startedAt, endedAt, options, taken, findings: groups, folder };
  return { text, json };
}

async function countTaken(bookkeeping: Bookkeeping, kind: BatchKind): Promise<number> {
  let count = 0;
  for await (const { rows } of bookkeeping.batches(kind)) {
    count += rows.filter(wasTaken).length;
  }
  return count;
}
