import { type Document, Double } from 'bson';
import { demand } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { encode } from '../../values/bson-codec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { checkTypes, countField, documentField, type FieldTypes, NUMBER } from '../support/fields.ts';
import { firstBatch } from '../support/replies.ts';
import { deleteStatement } from './delete.ts';
import { insertStatement } from './insert.ts';
import { BOOL, batchOf, OBJECT, runStatements, type StatementResult } from './statements.ts';
import { updateStatement } from './update.ts';

/** Writes to several collections. The answer has a cursor with one result a write. */
export const bulkWriteCommand: CommandDefinition = {
  fields: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'let', 'cursor', 'bypassDocumentValidation'],
  isWrite: true,
  run: bulkWrite,
};

const OPTIONS: FieldTypes = { multi: BOOL, hint: ['object', 'string'], collation: OBJECT };
const UPDATE_OPTIONS: FieldTypes = { ...OPTIONS, upsert: BOOL, arrayFilters: ['array'], sort: OBJECT };

/** The fields that a write must have, and those that it may have. The first is its kind with a position in nsInfo. */
const OPERATIONS: Record<string, [required: FieldTypes, optional?: FieldTypes]> = {
  insert: [{ insert: NUMBER, document: OBJECT }],
  update: [{ update: NUMBER, filter: OBJECT, updateMods: ['object', 'array'] }, UPDATE_OPTIONS],
  delete: [{ delete: NUMBER, filter: OBJECT }, OPTIONS],
};

const COUNTERS = { insert: 'nInserted', update: 'nMatched', delete: 'nDeleted' } as const;

/** One write, ready to run. */
interface Operation {
  kind: keyof typeof COUNTERS;
  multi: boolean;
  run: () => Promise<StatementResult>;
}

async function bulkWrite(context: CommandContext): Promise<Document> {
  const { command, database } = context;
  demand(database === 'admin', 'Unauthorized', 'bulkWrite may only be run against the admin database.');
  const batchSize = countField(documentField(command, 'cursor'), 'batchSize') ?? Infinity;
  const operations = parseOperations(context);
  // Writes of one kind may share commits, as in the command of that kind. Others must see those before them.
  const isMixed = new Set(operations.map(({ kind }) => kind)).size > 1;
  const runOne = (_: CommandContext, { run }: Operation) => run();
  const { results, errors } = await runStatements(context, operations, runOne, isMixed ? 1 : undefined);
  const kindOf = (index: number) => operations[index]?.kind as Operation['kind'];
  const totals = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const replies: Document[] = errors.map(({ index, ...error }) => ({
    ...{ ok: new Double(0), idx: index, ...error, n: 0 },
    ...(kindOf(index) === 'update' && { nModified: 0 }),
  }));
  for (const { index, n, modified, upserted } of results) {
    totals[upserted ? 'nUpserted' : COUNTERS[kindOf(index)]] += n;
    totals.nModified += modified ?? 0;
    if (command.errorsOnly !== true) {
      const counts = modified === undefined ? { n } : { n, nModified: modified };
      replies.push({
        ...{ ok: new Double(1), idx: index, ...counts },
        ...(upserted && { upserted: { _id: upserted.id } }),
      });
    }
  }
  const sorted = replies.sort((a, b) => a.idx - b.idx).map(encode);
  // With w: 0 nobody reads the answer, so no cursor may stay open for it.
  const shown = Number(command.writeConcern?.w ?? 1) === 0 ? [] : sorted;
  const answer = await firstBatch(context, 'admin.$cmd.bulkWrite', shown.values(), batchSize, false);
  return { ...answer, nErrors: errors.length, ...totals };
}

/** Checks the whole command. Throws as MongoDB does, before anything is written. */
function parseOperations(context: CommandContext): Operation[] {
  const { ops, nsInfo, ordered, errorsOnly } = context.command;
  checkTypes({ ops, nsInfo }, 'bulkWrite', { ops: ['array'], nsInfo: ['array'] });
  checkTypes({ ordered, errorsOnly }, 'bulkWrite', {}, { ordered: BOOL, errorsOnly: BOOL });
  const namespaces: string[][] = nsInfo.map(parseNamespace);
  return batchOf(context, 'ops').map((op, index) =>
    parseOperation(context, op as Document, index, namespaces),
  );
}

function parseNamespace(entry: Document): string[] {
  checkTypes({ nsInfo: entry }, 'bulkWrite', { nsInfo: OBJECT });
  checkTypes(entry, 'nsInfo', { ns: ['string'] });
  const [, ...names] = /^([^.]+)\.(.+)$/s.exec(entry.ns) ?? [];
  demand(names.length > 0, 'InvalidNamespace', `Invalid namespace specified for bulkWrite: '${entry.ns}'`);
  return names;
}

function parseOperation(
  context: CommandContext,
  op: Document,
  index: number,
  namespaces: string[][],
): Operation {
  checkTypes({ ops: op }, 'bulkWrite', { ops: OBJECT });
  const kind = (Object.keys(op)[0] ?? '') as Operation['kind'];
  checkTypes(op, 'ops', ...(lookUp(OPERATIONS, kind) ?? [{}]));
  const { filter: q, updateMods: u, multi = false, document, [kind]: position, ...options } = op;
  const [database = '', collection] = namespaces[countField({ position }, 'position') as number] ?? [];
  demand(database, 'BadValue', `BulkWrite ops entry ${index} has an invalid nsInfo index.`);
  const { maxTimeMS, let: variables } = context.command;
  const command = { [kind]: collection, maxTimeMS, ...(variables !== undefined && { let: variables }) };
  const own = { ...context, database, command };
  const limit = multi ? 0 : 1;
  const runs = {
    insert: () => insertStatement(own, encode(document)),
    update: () => updateStatement(own, { q, u, multi, ...options }),
    delete: () => deleteStatement(own, { q, limit, ...options }),
  };
  return { kind, multi, run: async () => runs[kind]() };
}
