import type { Document } from 'bson';
import { demand, locationError, mongoError } from '../../base/errors.ts';
import { MAX_LEVELS } from '../../base/limits.ts';
import { type FoundDocument, findDocuments } from '../../query/find-documents.ts';
import { compareValues } from '../../values/compare.ts';
import { positionOf, splitPath } from '../../values/names.ts';
import { childOf } from '../../values/path-values.ts';
import { MISSING } from '../../values/types.ts';
import { ValueSet } from '../../values/value-set.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { drain } from '../support/drain.ts';
import { checkQuery, QUERY_FIELDS, queryOptionsOf } from '../support/query-options.ts';

export const distinctCommand: CommandDefinition = {
  fields: [...QUERY_FIELDS, 'key', 'query'],
  run: distinct,
};

async function distinct(context: CommandContext): Promise<Document> {
  const { command, engine } = context;
  const key = command.key;
  if (key === undefined) {
    throw locationError(40414, "BSON field 'distinct.key' is missing but a required field");
  }
  if (typeof key !== 'string') {
    throw mongoError('TypeMismatch', "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  }
  demand(splitPath(key).length <= MAX_LEVELS, 'Overflow', `a path has at most ${MAX_LEVELS} parts`);
  const collection = engine.catalog.find(namespaceOf(context));
  const options = queryOptionsOf(context, 'query');
  checkQuery(options);
  const found = new ValueSet([], options.collator);
  const collect = ({ document }: FoundDocument) => {
    for (const value of valuesAlong(document, splitPath(key))) {
      found.add(value);
    }
  };
  if (collection) {
    await drain(context, findDocuments(collection, options), collect);
  }
  // MongoDB collects them in an ordered set (src/mongo/db/commands/distinct.cpp).
  return { values: found.values.toSorted((a, b) => compareValues(a, b, options.collator)) };
}

/**
 * The values at a path, and the elements of an array there. Unlike in a filter, a number is a position in an array and no name in
 * its documents (src/mongo/bson/dotted_path: extractAllElementsAlongPath).
 */
function valuesAlong(container: unknown, [part = '', ...rest]: readonly string[]): unknown[] {
  const value = childOf(container, part);
  if (value === MISSING || rest.length === 0) {
    return value === MISSING ? [] : Array.isArray(value) ? value : [value];
  }
  return Array.isArray(value) && positionOf(rest[0] as string) === undefined
    ? value.flatMap((item) => valuesAlong(item, rest))
    : valuesAlong(value, rest);
}
