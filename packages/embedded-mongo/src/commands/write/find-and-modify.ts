import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { compileProjection } from '../../query/projection.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { documentField } from '../support/fields.ts';
import { applyDelete } from './apply-delete.ts';
import { applyUpdate } from './apply-update.ts';

export const findAndModifyCommand: CommandDefinition = {
  fields: [
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
  ],
  isWrite: true,
  run: findAndModify,
};

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
  const options = { multi: false, upsert: Boolean(command.upsert) };
  const { first: change } = await applyUpdate(context, statement, options);
  const { before, after } = change ?? {};
  return {
    lastErrorObject: {
      n: change ? 1 : 0,
      updatedExisting: before !== undefined,
      ...(change && !before && { upserted: after?._id }),
    },
    value: shown(command.new ? after : before),
  };
}

function checkCombination(command: Document): void {
  const { remove = false, update, upsert = false, new: isNew = false, arrayFilters } = command;
  if (remove && update) {
    throw mongoError('FailedToParse', "Cannot specify both an 'update' and 'remove'=true");
  }
  if (!remove && !update) {
    throw mongoError('FailedToParse', "Either an update or 'remove'=true must be specified");
  }
  if (remove && upsert) {
    throw mongoError('FailedToParse', "Cannot specify both 'upsert'=true and 'remove'=true");
  }
  if (remove && isNew) {
    throw mongoError(
      'FailedToParse',
      "Cannot specify both 'new'=true and 'remove'=true; 'remove' always returns the deleted document",
    );
  }
  if (remove && arrayFilters) {
    throw mongoError('FailedToParse', "Cannot specify 'arrayFilters' and 'remove'=true");
  }
}
