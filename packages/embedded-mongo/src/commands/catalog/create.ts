import type { Document } from 'bson';
import { mongoError, notImplemented } from '../../base/errors.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { matchContextOf } from '../support/query-options.ts';

/** These options would change what the collection does. They are refused, not ignored. */
export const REFUSED_OPTIONS = [
  ...['capped', 'size', 'max', 'validator', 'validationLevel', 'validationAction', 'viewOn', 'pipeline'],
  ...['timeseries', 'expireAfterSeconds', 'clusteredIndex', 'changeStreamPreAndPostImages'],
  ...['encryptedFields', 'indexOptionDefaults', 'storageEngine'],
];

export const createCommand: CommandDefinition = {
  fields: ['autoIndexId', 'idIndex', 'collation', ...REFUSED_OPTIONS],
  isWrite: true,
  run: create,
};

function create(context: CommandContext): Promise<Document> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const { command } = context;
  const refused =
    REFUSED_OPTIONS.find((name) => command[name]) ?? (matchContextOf(command).collator && 'collation');
  if (refused) {
    throw notImplemented(`create with ${refused}`);
  }
  return store.write(() => {
    if (catalog.find(namespace)) {
      throw mongoError('NamespaceExists', `Collection ${namespace} already exists.`);
    }
    catalog.ensure(namespace);
    return {};
  });
}
