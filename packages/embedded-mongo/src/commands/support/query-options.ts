import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { letVariables } from '../../expressions/expressions.ts';
import type { QueryOptions } from '../../query/find-documents.ts';
import type { Collection } from '../../storage/collection.ts';
import type { Index } from '../../storage/index-spec.ts';
import type { MatchContext } from '../../values/match-context.ts';
import { isDocument } from '../../values/types.ts';
import { collatorOf } from './collation.ts';
import { type CommandContext, namespaceOf } from './command.ts';
import { countField, documentField } from './fields.ts';

/** The fields that all query commands have. */
export const QUERY_FIELDS = ['hint', 'collation', 'let', 'allowDiskUse'];

/** The options of a query command, whose filter is in the field `filterField`. */
export function queryOptionsOf(context: CommandContext, filterField: string): QueryOptions {
  const { command, engine } = context;
  const collection = engine.catalog.find(namespaceOf(context));
  return {
    ...matchContextOf(command),
    filter: documentField(command, filterField),
    sort: documentField(command, 'sort'),
    skip: countField(command, 'skip'),
    limit: countField(command, 'limit'),
    hint: hintOf(command, collection),
    deadline: deadlineOf(command),
  };
}

/** The `let` variables of a command, and the collation of the command or of one of its statements. */
export function matchContextOf(command: Document, statement: Document = command): MatchContext {
  const context = { now: new Date(), collator: collatorOf(statement.collation) };
  return 'let' in command
    ? { ...context, variables: letVariables(documentField(command, 'let'), context) }
    : context;
}

/** The index that a `hint` names, by its name or its key pattern; 'natural' for a scan. */
export function hintOf(
  statement: Document,
  collection: Collection | undefined,
): Index | 'natural' | undefined {
  const hint = statement.hint;
  if (hint === undefined || (isDocument(hint) && Object.keys(hint).length === 0)) {
    return undefined;
  }
  if (isDocument(hint) && '$natural' in hint) {
    return 'natural';
  }
  const pattern = JSON.stringify(hint);
  const found = collection?.indexes.find((index) =>
    typeof hint === 'string' ? index.spec.name === hint : JSON.stringify(index.spec.key) === pattern,
  );
  if (found || !collection) {
    return found;
  }
  throw mongoError(
    'BadValue',
    'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
  );
}

/** The end of a command's `maxTimeMS`, in milliseconds since the epoch; undefined without a limit. */
export function deadlineOf(command: Document): number | undefined {
  const millis = countField(command, 'maxTimeMS');
  return millis ? Date.now() + millis : undefined;
}
