import { type Document, Long } from 'bson';
import { mongoError, notImplemented } from '../../base/errors.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { existingCollection, existingIndex } from '../support/existing-collection.ts';
import { checkTypes, documentField, NUMBER } from '../support/fields.ts';
import { REFUSED_OPTIONS } from './create.ts';
import { checkTtl } from './parse-index-spec.ts';

/** Changes the TTL of an index. */
export const collModCommand: CommandDefinition = {
  fields: ['index', ...REFUSED_OPTIONS],
  isWrite: true,
  run: collMod,
};

const TYPES = { name: ['string'], keyPattern: ['object'], expireAfterSeconds: NUMBER };

function collMod(context: CommandContext): Promise<Document> {
  const { command } = context;
  const wanted = documentField(command, 'index');
  const refused =
    REFUSED_OPTIONS.find((name) => name in command) ??
    ['unique', 'prepareUnique', 'hidden'].find((name) => name in wanted);
  if (refused) {
    throw notImplemented(`collMod with ${refused}`);
  }
  checkTypes(wanted, 'collMod.index', {}, TYPES);
  const { name, keyPattern, expireAfterSeconds } = wanted;
  return context.engine.store.write(() => {
    const collection = existingCollection(context, 'ns does not exist');
    if (!command.index) {
      return {};
    }
    if ((name === undefined) === (keyPattern === undefined) || expireAfterSeconds === undefined) {
      throw mongoError('InvalidOptions', 'expected expireAfterSeconds and either name or keyPattern');
    }
    const index = existingIndex(collection, keyPattern ?? name, collection.indexes);
    const { key, options } = index.spec;
    const before = options.expireAfterSeconds;
    const after = checkTtl(Math.trunc(Number(expireAfterSeconds)), key, 'InvalidOptions');
    collection.changeOptions(index, { ...options, expireAfterSeconds: after });
    return {
      ...(before !== undefined && { expireAfterSeconds_old: Long.fromNumber(Number(before)) }),
      expireAfterSeconds_new: Long.fromNumber(after),
    };
  });
}
