import type { Document } from 'bson';
import { findDocuments } from '../../query/find-documents.ts';
import { Index } from '../../storage/index-spec.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { drain } from '../support/drain.ts';
import { checkQuery, QUERY_FIELDS, queryOptionsOf } from '../support/query-options.ts';

export const countCommand: CommandDefinition = {
  fields: [...QUERY_FIELDS, 'query', 'limit', 'skip', 'fields'],
  run: count,
};

async function count(context: CommandContext): Promise<Document> {
  const { engine } = context;
  const collection = engine.catalog.find(namespaceOf(context));
  const options = queryOptionsOf(context, 'query');
  if (!collection) {
    checkQuery(options);
    return { n: 0 };
  }
  engine.store.refresh();
  if (Object.keys(options.filter).length > 0 || options.hint instanceof Index) {
    return { n: await drain(context, findDocuments(collection, options), () => {}) };
  }
  const all = Math.max(collection.count() - (options.skip ?? 0), 0);
  return { n: options.limit ? Math.min(all, options.limit) : all };
}
