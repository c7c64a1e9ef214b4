import { type Document, Double } from 'bson';
import { CommandError, mongoError } from '../../base/errors.ts';
import { encode } from '../../values/bson-codec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { countField, documentField } from '../support/fields.ts';
import { firstBatch } from '../support/replies.ts';
import { parseBulkWrite, type WriteGroup } from './bulk-write-ops.ts';
import { deleteStatement } from './delete.ts';
import { insertCommand } from './insert.ts';
import { runStatements, writeError } from './statements.ts';
import { updateStatement } from './update.ts';

/** Writes to several collections, in their order. The answer has a cursor with one result a write. */
export const bulkWriteCommand: CommandDefinition = {
  fields: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'let', 'cursor', 'bypassDocumentValidation'],
  isWrite: true,
  run: bulkWrite,
};

const COUNTER = { insert: 'nInserted', update: 'nMatched', delete: 'nDeleted' } as const;

async function bulkWrite(context: CommandContext): Promise<Document> {
  const { command, database } = context;
  if (database !== 'admin') {
    throw mongoError('Unauthorized', 'bulkWrite may only be run against the admin database.');
  }
  const batchSize = countField(documentField(command, 'cursor'), 'batchSize') ?? Infinity;
  const totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
  const replies: Buffer[] = [];
  for (const group of parseBulkWrite(context)) {
    for (const reply of await runGroup(context, group)) {
      const { ok, n, nModified = 0, upserted } = reply;
      const isError = Number(ok) === 0;
      totals[isError ? 'nErrors' : upserted ? 'nUpserted' : COUNTER[group.kind]] += isError ? 1 : n;
      totals.nModified += nModified;
      if (isError || command.errorsOnly !== true) {
        replies.push(encode(reply));
      }
    }
    if (totals.nErrors > 0 && command.ordered !== false) {
      break;
    }
  }
  // With w: 0 nobody reads the answer, so no cursor may stay open for it.
  const shown = Number(command.writeConcern?.w ?? 1) === 0 ? [] : replies;
  const answer = await firstBatch(context, 'admin.$cmd.bulkWrite', shown.values(), batchSize, false);
  return { ...answer, ...totals };
}

/** Runs a group as the command of its kind does. Gives the results of the writes that it tried. */
async function runGroup(context: CommandContext, group: WriteGroup): Promise<Document[]> {
  const { kind, namespace, first, statements } = group;
  const { ordered, maxTimeMS, let: variables } = context.command;
  const shared = { ordered, maxTimeMS, ...(variables !== undefined && { let: variables }) };
  const command = { [kind]: namespace.collection, statements, ...shared };
  const run = { insert: insertAll, update: updateAll, delete: deleteAll }[kind];
  const { results, writeErrors = [] } = await run({ ...context, database: namespace.database, command });
  const isUpdate = kind === 'update';
  const replies = [
    ...results.map(({ index, n, modified, upserted }) => ({
      ...{ ok: new Double(1), idx: first + index, n },
      ...(isUpdate && { nModified: modified }),
      ...(upserted && { upserted: { _id: upserted.id } }),
    })),
    ...writeErrors.map(({ index, ...error }) => ({
      ...{ ok: new Double(0), idx: first + index, ...error, n: 0 },
      ...(isUpdate && { nModified: 0 }),
    })),
  ];
  return replies.sort((a, b) => a.idx - b.idx);
}

type Outcome = Awaited<ReturnType<typeof runStatements>>;

const updateAll = (context: CommandContext) => runStatements(context, 'statements', updateStatement);
const deleteAll = (context: CommandContext) => runStatements(context, 'statements', deleteStatement);

/** One transaction inserts all documents. An error of all, such as that of a bad name, belongs to each that was tried. */
async function insertAll(context: CommandContext): Promise<Outcome> {
  const { insert, statements: documents, ordered } = context.command;
  const all: number[] = [...documents.keys()];
  const isOrdered = ordered !== false;
  let writeErrors: Document[];
  try {
    const reply = await insertCommand.run({ ...context, command: { insert, documents, ordered } });
    writeErrors = reply.writeErrors ?? [];
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    writeErrors = all.slice(0, isOrdered ? 1 : all.length).map((index) => writeError(index, error));
  }
  const failed = new Set(writeErrors.map(({ index }) => index));
  const tried = isOrdered && writeErrors[0] ? all.slice(0, writeErrors[0].index) : all;
  const inserted = tried.filter((index) => !failed.has(index));
  return { results: inserted.map((index) => ({ index, n: 1, modified: 0 })), writeErrors };
}
