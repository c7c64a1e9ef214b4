import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { findDocuments } from '../../query/find-documents.ts';
import { equalValues } from '../../values/compare.ts';
import { encodeKey } from '../../values/key-encoding.ts';
import { splitPath } from '../../values/names.ts';
import { valuesAt } from '../../values/path-values.ts';
import { MISSING } from '../../values/types.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { drain } from '../support/drain.ts';
import { QUERY_FIELDS, queryOptionsOf } from '../support/query-options.ts';

export const distinctCommand: CommandDefinition = {
  fields: [...QUERY_FIELDS, 'key', 'query'],
  run: distinct,
};

async function distinct(context: CommandContext): Promise<Document> {
  const { command, engine } = context;
  const key = command.key;
  if (typeof key !== 'string') {
    throw mongoError('TypeMismatch', "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  }
  const collection = engine.catalog.find(namespaceOf(context));
  const options = queryOptionsOf(context, 'query');
  const { collator } = options;
  const values = new Map<string, unknown>();
  const isKnown = (value: unknown) =>
    collator !== undefined && [...values.values()].some((each) => equalValues(each, value, collator));
  const collect = (document: Document) => {
    for (const value of valuesOf(document, splitPath(key))) {
      if (!isKnown(value)) {
        values.set(encodeKey(value).toString('latin1'), value);
      }
    }
  };
  engine.store.refresh();
  if (collection) {
    await drain(context, findDocuments(collection, options), collect);
  }
  return { values: [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value) };
}

/** The values at a path. Of an array, its elements. */
function valuesOf(document: Document, parts: string[]): unknown[] {
  const values = [...valuesAt(document, parts, false)].filter((value) => value !== MISSING);
  return values.flatMap((value) => (Array.isArray(value) ? value : [value]));
}
