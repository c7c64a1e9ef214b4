import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compileProjection } from '../query/projection.ts';
import { applyDelete, applyUpdate } from '../update/write-statements.ts';
import { type CommandContext, type CommandDefinition, documentField } from './command.ts';

const FIELDS = [
  'query',
  'sort',
  'remove',
  'update',
  'new',
  'upsert',
  'fields',
  'arrayFilters',
  'let',
  'collation',
  'hint',
  'bypassDocumentValidation',
];

export const FIND_AND_MODIFY: CommandDefinition = { fields: FIELDS, isWrite: true, run: findAndModify };

async function findAndModify(context: CommandContext): Promise<Document> {
  const { command } = context;
  checkCombination(command);
  const project = compileProjection(documentField(command, 'fields'), {});
  const shown = (document: Document | undefined) =>
    document ? (project ? project(document) : document) : null;
  const statement = { ...command, q: documentField(command, 'query'), u: command.update };
  if (command.remove) {
    const { removed, first } = await applyDelete(context, statement, false);
    return { lastErrorObject: { n: removed }, value: shown(first) };
  }
  const { first: change } = await applyUpdate(context, statement, {
    multi: false,
    upsert: Boolean(command.upsert),
  });
  const upserted = change && !change.before ? { upserted: change.after?._id } : {};
  const lastErrorObject = { n: change ? 1 : 0, updatedExisting: Boolean(change?.before), ...upserted };
  return {
    lastErrorObject,
    value: shown(command.new ? (change?.after ?? change?.before) : change?.before),
  };
}

function checkCombination(command: Document): void {
  const { remove = false, update, upsert = false, new: isNew = false, arrayFilters } = command;
  if (remove && update)
    throw mongoError('FailedToParse', "Cannot specify both an 'update' and 'remove'=true");
  if (!remove && !update)
    throw mongoError('FailedToParse', "Either an update or 'remove'=true must be specified");
  if (remove && upsert)
    throw mongoError('FailedToParse', "Cannot specify both 'upsert'=true and 'remove'=true");
  if (remove && isNew)
    throw mongoError(
      'FailedToParse',
      "Cannot specify both 'new'=true and 'remove'=true; 'remove' always returns the deleted document",
    );
  if (remove && arrayFilters)
    throw mongoError('FailedToParse', "Cannot specify 'arrayFilters' and 'remove'=true");
}
