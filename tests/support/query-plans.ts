import type { Document } from 'bson';
import { type ListedQuery, lineOf, listedQueries } from './listed-queries.ts';
import { type QueryShape, shapesOf, textOf } from './query-shapes.ts';

/**
 * What a database did for one statement: an entry of MongoDB's profiler, with the fields that are judged
 * (https://www.mongodb.com/docs/manual/reference/database-profiler/). For the embedded engine, the same is made of an explain.
 */
export interface ProfiledQuery {
  /** Of a statement in `bulkWrite`, it is `bulkWrite`; of one in `update`, `update`. */
  op: string;
  /** The database and the collection. */
  ns: string;
  /** A command, or one statement of an update, a deletion or a `bulkWrite`. */
  command: Document;
  /** Of a `getMore`, the command that has opened its cursor. */
  originatingCommand?: Document;
  planSummary?: string;
  docsExamined?: number;
  hasSortStage?: boolean;
  // The documents that a statement was about. A deletion and an update return none.
  nreturned?: number;
  nMatched?: number;
  ndeleted?: number;
}

/** A query may examine so many documents more than ten times those that it finds. */
const LEAST_EXAMINED = 100;
const EXAMINED_PER_FOUND = 10;
/** A sort of more documents is one that an index should give. */
const MAX_SORTED = 100;

/**
 * Finds the queries that no index serves, or the wrong one.
 * @param entries of the statements that the gateway has sent
 * @param listed the queries of queries.txt. Those that read all documents on purpose are no problem: the list says why
 * @returns a text about each kind of query, with its worst figures
 */
export function problemsOf(
  entries: Iterable<ProfiledQuery>,
  listed: ReadonlyMap<string, ListedQuery> = listedQueries(),
): string[] {
  const problems = new Map<string, { examined: number; text: string }>();
  for (const entry of entries) {
    const shapes = shapesOfEntry(entry);
    const problem = problemOf(entry);
    if (
      problem === undefined ||
      (shapes.length > 0 && shapes.every((shape) => readsAllOnPurpose(shape, listed)))
    ) {
      continue;
    }
    const kind =
      shapes.map((shape) => lineOf(shape)).join('\n') ||
      `${entry.op} ${entry.ns} ${JSON.stringify(entry.command)}`;
    const { docsExamined: examined = 0 } = entry;
    if (examined >= (problems.get(kind)?.examined ?? 0)) {
      problems.set(kind, { examined, text: `${problem}: ${kind}` });
    }
  }
  return [...problems.values()].map(({ text }) => text);
}

const readsAllOnPurpose = (shape: QueryShape, listed: ReadonlyMap<string, ListedQuery>): boolean =>
  listed.get(textOf(shape))?.indexes.length === 0;

function problemOf(entry: ProfiledQuery): string | undefined {
  const { planSummary = '', docsExamined = 0, hasSortStage = false } = entry;
  const found = Math.max(entry.nreturned ?? 0, entry.nMatched ?? 0, entry.ndeleted ?? 0);
  const figures = `${planSummary || 'no plan'} examined ${docsExamined} for ${found}`;
  if (/\bCOLLSCAN\b/.test(planSummary)) {
    return `no index (${figures})`;
  }
  if (docsExamined > LEAST_EXAMINED + EXAMINED_PER_FOUND * found) {
    return `the wrong index (${figures})`;
  }
  return hasSortStage && docsExamined > MAX_SORTED ? `a sort in memory (${figures})` : undefined;
}

/** The queries of an entry, in the form of queries.txt. */
function shapesOfEntry({ ns, command, originatingCommand = command }: ProfiledQuery): QueryShape[] {
  const collection = ns.slice(ns.indexOf('.') + 1);
  // One statement of an update or a deletion, and one of a `bulkWrite`, which names its collection by a number.
  const q =
    originatingCommand.q ??
    (originatingCommand.filter && !originatingCommand.find && originatingCommand.filter);
  if (q) {
    return shapesOf('delete', { delete: collection, deletes: [{ q }] });
  }
  const name = Object.keys(originatingCommand).find((key) => originatingCommand[key] === collection) ?? '';
  // MongoDB's shell, and so the documentation, spell it in lower case.
  return shapesOf(name === 'findandmodify' ? 'findAndModify' : name, {
    ...originatingCommand,
    findAndModify: collection,
  });
}
