import type { Document } from 'bson';
import type { Db } from 'mongodb';
import type { ProfiledQuery } from './query-plans.ts';

/** Commands that read no documents by a filter, or only those that another command has found. */
const WITHOUT_FILTER = new Set([
  ...['insert', 'getMore', 'killCursors', 'endSessions', 'ping', 'hello', 'buildInfo', 'hostInfo'],
  ...['createIndexes', 'listIndexes', 'dropIndexes', 'listCollections', 'create', 'drop', 'collStats'],
]);

/**
 * Asks the embedded engine what it examines for a command. The engine has no profiler, and explains only a `find`: so each filter of
 * the command is explained as one.
 * @param db the database of the command
 * @param name of the command
 * @throws if it is a command that nobody has thought of here
 */
export async function explained(db: Db, name: string, command: Document): Promise<ProfiledQuery[]> {
  const entries: ProfiledQuery[] = [];
  for (const { statement, find } of await findsOf(db, name, command)) {
    const options = { ...find };
    const plan = await db.command({ explain: options, verbosity: 'executionStats' });
    const { totalDocsExamined, nReturned } = plan.executionStats;
    const stages = [...stagesOf(plan.queryPlanner.winningPlan)];
    entries.push({
      op: name,
      ns: `${db.databaseName}.${find.find}`,
      command: statement,
      planSummary: stages.flatMap(summaryOf).join(', '),
      docsExamined: totalDocsExamined,
      nreturned: nReturned,
      hasSortStage: stages.some(({ stage }) => stage === 'SORT'),
    });
  }
  return entries;
}

/** The stages of a plan: of MongoDB, which may have it in `queryPlan`, and of the embedded engine. */
export function* stagesOf({
  queryPlan,
  inputStage,
  inputStages = [],
  ...stage
}: Document): Generator<Document> {
  yield stage;
  for (const inner of [queryPlan, inputStage, ...inputStages]) {
    yield* inner ? stagesOf(inner) : [];
  }
}

function summaryOf({ stage, keyPattern }: Document): string[] {
  if (stage === 'IXSCAN') {
    const fields = Object.entries(keyPattern).map(([field, direction]) => `${field}: ${direction}`);
    return [`IXSCAN { ${fields.join(', ')} }`];
  }
  return ['COLLSCAN', 'EOF', 'IDHACK'].includes(stage) ? [stage] : [];
}

/** A filter, as a statement of the profiler and as a `find` with the same documents. */
interface Filtered {
  statement: Document;
  find: Document;
}

async function findsOf(db: Db, name: string, command: Document): Promise<Filtered[]> {
  const collection = String(command[name]);
  const find = (filter: Document = {}, others: Document = {}) => ({ find: collection, filter, ...others });
  const asIs = (made: Document): Filtered[] => [{ statement: command, find: made }];
  switch (name) {
    case 'find': {
      const { filter, sort, skip, limit, hint } = command;
      return asIs(find(filter, given({ sort, skip, limit, hint })));
    }
    case 'count':
      return asIs(find(command.query, given({ skip: command.skip, limit: command.limit })));
    case 'distinct':
      return asIs(find(command.query));
    case 'findAndModify':
      return asIs(find(command.query, given({ sort: command.sort, limit: 1 })));
    case 'update':
      return command.updates.map((statement: Document) => ({
        statement,
        find: find(statement.q, given({ sort: statement.sort, limit: statement.multi ? 0 : 1 })),
      }));
    case 'delete':
      return command.deletes.map((statement: Document) => ({
        statement,
        find: find(statement.q, { limit: statement.limit }),
      }));
    case 'bulkWrite':
      return command.ops.flatMap((statement: Document) => {
        const namespace = String(command.nsInfo[statement.update ?? statement.delete]?.ns);
        const of = namespace.slice(namespace.indexOf('.') + 1);
        return statement.filter
          ? [{ statement, find: { find: of, filter: statement.filter, limit: statement.multi ? 0 : 1 } }]
          : [];
      });
    case 'aggregate':
      return findsOfPipeline(db, collection, command);
    default:
      if (!WITHOUT_FILTER.has(name)) {
        throw new Error(`The command ${name} is not known: does it read documents?`);
      }
      return [];
  }
}

/** The beginning of a pipeline, and the look-ups in other collections. */
async function findsOfPipeline(db: Db, collection: string, command: Document): Promise<Filtered[]> {
  const [first, second, third] = command.pipeline as Document[];
  const filter = first?.$match ?? {};
  const sort = first?.$sort ?? second?.$sort;
  const limit = second?.$limit ?? (second?.$sort && third?.$limit);
  const own = { find: collection, filter, ...given({ sort, limit }) };
  const lookUps = (command.pipeline as Document[]).flatMap(({ $lookup }) => $lookup ?? []);
  const found = lookUps.length > 0 ? await db.collection(collection).find(filter).toArray() : [];
  return [
    { statement: command, find: own },
    ...lookUps.map(({ from, localField, foreignField }) => {
      const values = { [foreignField]: { $in: found.map((document) => document[localField]) } };
      return { statement: { find: from, filter: values }, find: { find: from, filter: values } };
    }),
  ];
}

const given = (options: Document): Document =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
