import { type Document, Long } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { Collection } from '../../storage/collection.ts';
import { ID_INDEX_NAME, type Index } from '../../storage/index-spec.ts';
import { equalValues } from '../../values/compare.ts';
import { display } from '../../values/display.ts';
import { isTrue } from '../../values/truth.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { existingCollection } from '../support/existing-collection.ts';
import { checkTypes, documentField, NUMBER } from '../support/fields.ts';
import { REFUSED_OPTIONS } from './create.ts';
import { checkTtl } from './parse-index-spec.ts';

/** Changes the TTL of an index, and hides it from the planner or shows it again. */
export const collModCommand: CommandDefinition = {
  fields: ['index', ...REFUSED_OPTIONS],
  isWrite: true,
  run: collMod,
};

const CHANGES = { expireAfterSeconds: NUMBER, hidden: ['bool', ...NUMBER] };

function collMod(context: CommandContext): Promise<Document> {
  const { command } = context;
  const wanted = documentField(command, 'index');
  const refused =
    REFUSED_OPTIONS.find((name) => name in command) ??
    ['unique', 'prepareUnique'].find((name) => name in wanted);
  if (refused) {
    throw mongoError('NotImplemented', `collMod with ${refused} is not implemented by the embedded engine`);
  }
  checkTypes(wanted, 'collMod.index', {}, { name: ['string'], keyPattern: ['object'], ...CHANGES });
  return context.engine.store.write(() => {
    const collection = existingCollection(context, 'ns does not exist');
    return command.index ? changeIndex(collection, wanted) : {};
  });
}

function changeIndex(collection: Collection, wanted: Document): Document {
  if (('name' in wanted && 'keyPattern' in wanted) || !('name' in wanted || 'keyPattern' in wanted)) {
    throw mongoError('InvalidOptions', 'Must specify either index name or key pattern, not both');
  }
  if (!('expireAfterSeconds' in wanted || 'hidden' in wanted)) {
    throw mongoError('InvalidOptions', 'no expireAfterSeconds, hidden, unique, or prepareUnique field');
  }
  const index = indexOf(collection, wanted);
  const { hidden: wasHidden = false, expireAfterSeconds: before, ...options } = index.spec.options;
  const after =
    'expireAfterSeconds' in wanted
      ? checkTtl(Math.trunc(Number(wanted.expireAfterSeconds)), index.spec.key, 'InvalidOptions')
      : before;
  const hidden = 'hidden' in wanted ? isTrue(wanted.hidden) : wasHidden;
  if (hidden && index.spec.name === ID_INDEX_NAME) {
    throw mongoError('BadValue', "can't hide _id index");
  }
  collection.changeOptions(index, {
    ...options,
    ...(after !== undefined && { expireAfterSeconds: after }),
    ...(hidden && { hidden }),
  });
  return {
    ...('expireAfterSeconds' in wanted && {
      ...(before !== undefined && { expireAfterSeconds_old: Long.fromNumber(Number(before)) }),
      expireAfterSeconds_new: Long.fromNumber(after),
    }),
    ...(hidden !== wasHidden && { hidden_old: wasHidden, hidden_new: hidden }),
  };
}

function indexOf(collection: Collection, { name, keyPattern }: Document): Index {
  const found = collection.indexes.filter(({ spec }) =>
    keyPattern ? equalValues(spec.key, keyPattern) : spec.name === name,
  );
  const wanted = keyPattern ? display(keyPattern) : name;
  if (found.length > 1) {
    const message = `index keyPattern ${wanted} matches ${found.length} indexes, must use index name.`;
    throw mongoError('AmbiguousIndexKeyPattern', message);
  }
  if (!found[0]) {
    throw mongoError('IndexNotFound', `cannot find index ${wanted} for ns ${collection.namespace}`);
  }
  return found[0];
}
