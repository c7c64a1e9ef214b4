import type { Document } from 'bson';
import { mongoError, notImplemented } from '../../base/errors.ts';
import { letVariables } from '../../expressions/expressions.ts';
import { compileFilter } from '../../matching/matcher.ts';
import { type Hint, naturalOf, type QueryOptions } from '../../query/find-documents.ts';
import { Sorter } from '../../query/sort.ts';
import type { Collection } from '../../storage/collection.ts';
import { equalValues } from '../../values/compare.ts';
import type { MatchContext } from '../../values/match-context.ts';
import { isNumeric } from '../../values/numbers.ts';
import { isDocument } from '../../values/types.ts';
import { collatorOf } from './collation.ts';
import { type CommandContext, namespaceOf } from './command.ts';
import { countField, documentField } from './fields.ts';

/** The fields that all query commands have. */
export const QUERY_FIELDS = ['hint', 'collation', 'let', 'allowDiskUse'];

/** Options of a find that this engine does not have. Drivers send some of them as false. */
export const REFUSED_FIELDS = ['min', 'max', 'returnKey', 'showRecordId', 'tailable', 'awaitData'];

/** The options of a query command, whose filter is in the field `filterField`. */
export function queryOptionsOf(context: CommandContext, filterField: string): QueryOptions {
  const { command, engine } = context;
  const collection = engine.catalog.find(namespaceOf(context));
  refuseOptions(command);
  return {
    ...matchContextOf(command),
    filter: documentField(command, filterField),
    sort: documentField(command, 'sort'),
    skip: countField(command, 'skip', 'query'),
    limit: countField('count' in command ? { limit: absolute(command.limit) } : command, 'limit', 'query'),
    hint: hintOf(command, collection),
    deadline: deadlineOf(command),
  };
}

/** Throws as a run of the query would. On a missing collection nothing else reads its filter and its sort. */
export function checkQuery({ filter, sort = {}, ...context }: QueryOptions): void {
  compileFilter(filter, context);
  if (!('$natural' in sort)) {
    new Sorter(sort);
  }
}

function refuseOptions(command: Document): void {
  const refused = REFUSED_FIELDS.find((name) => command[name]);
  if (refused) {
    throw notImplemented(`the option ${refused}`);
  }
}

/** A negative limit of `count` is its absolute value (src/mongo/db/query/count_request). */
function absolute(limit: unknown): unknown {
  return isNumeric(limit) ? Math.abs(Number(limit)) : limit;
}

/** The `let` variables of a command, and the collation of the command or of one of its statements. */
export function matchContextOf(command: Document, statement: Document = command): MatchContext {
  const context = { now: new Date(), collator: collatorOf(statement.collation) };
  return 'let' in command
    ? { ...context, variables: letVariables(documentField(command, 'let'), context) }
    : context;
}

/**
 * The index that a `hint` names, by its name or its key pattern, or the direction of a scan.
 * @throws CommandError BadValue (2) if there is no such index; FailedToParse (9) for a hint of another type
 */
export function hintOf(statement: Document, collection: Collection | undefined): Hint | undefined {
  const hint = statement.hint;
  if (hint === undefined || (isDocument(hint) && Object.keys(hint).length === 0)) {
    return undefined;
  }
  if (typeof hint !== 'string' && !isDocument(hint)) {
    throw mongoError('FailedToParse', 'Hint must be a string or an object');
  }
  const natural = isDocument(hint) ? naturalOf(hint, 'hint') : undefined;
  if (natural || !collection) {
    return natural;
  }
  const found = collection.indexes.find(({ spec }) =>
    typeof hint === 'string' ? spec.name === hint : equalValues(spec.key, hint),
  );
  if (!found) {
    throw mongoError('BadValue', 'hint provided does not correspond to an existing index');
  }
  return found;
}

/** The end of a command's `maxTimeMS`, in milliseconds since the epoch; undefined without a limit. */
export function deadlineOf(command: Document): number | undefined {
  const millis = countField(command, 'maxTimeMS');
  return millis ? Date.now() + millis : undefined;
}
