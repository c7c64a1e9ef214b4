import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import { compileProjection } from '../../query/projection.ts';
import { isTrue } from '../../values/truth.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { documentField, type FieldTypes } from '../support/fields.ts';
import { applyDelete } from './delete.ts';
import { ANY, OBJECT, SAFE_BOOL, typedFields } from './statements.ts';
import { applyUpdate } from './update.ts';

const TYPES: FieldTypes = {
  ...{ query: OBJECT, sort: OBJECT, update: ANY, fields: OBJECT, arrayFilters: ['array'], let: OBJECT },
  ...{ remove: SAFE_BOOL, new: SAFE_BOOL, upsert: SAFE_BOOL, bypassDocumentValidation: SAFE_BOOL },
  ...{ collation: OBJECT, hint: ANY },
};

export const findAndModifyCommand: CommandDefinition = {
  fields: Object.keys(TYPES),
  isWrite: true,
  run: findAndModify,
};

async function findAndModify(context: CommandContext): Promise<Document> {
  const fields = typedFields(context.command, 'findAndModify', TYPES);
  const flags = { remove: isTrue(fields.remove), new: isTrue(fields.new), upsert: isTrue(fields.upsert) };
  const command: Document = { ...fields, ...flags };
  checkCombination(command);
  const project = compileProjection(documentField(command, 'fields'), {});
  const shown = (document: Document | undefined) =>
    document ? (project ? project(document) : document) : null;
  const statement = { ...command, q: documentField(command, 'query'), u: command.update };
  if (command.remove) {
    const { n, first } = await applyDelete(context, statement, false);
    return { lastErrorObject: { n }, value: shown(first) };
  }
  const options = { multi: false, upsert: flags.upsert };
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

function checkCombination({ remove, update, upsert, new: isNew, arrayFilters }: Document): void {
  const both = (other: string) => `Cannot specify both '${other}' and 'remove'=true`;
  demand(remove || update, 'FailedToParse', "Either an update or 'remove'=true must be specified");
  demand(!remove || !update, 'FailedToParse', both('update'));
  demand(!remove || !upsert, 'FailedToParse', both('upsert'));
  demand(!remove || !isNew, 'FailedToParse', both('new'));
  demand(!remove || !arrayFilters, 'FailedToParse', both('arrayFilters'));
}
