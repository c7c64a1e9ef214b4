import { mongo } from 'mongoose';
import { exactFields } from './exact-document.ts';

/** An index in the form of listIndexes and createIndexes. */
export type IndexFields = ReadonlyMap<string, unknown>;

export const indexFields = (raw: Uint8Array): IndexFields => exactFields(raw);

export const nameOf = (index: IndexFields): string => String(index.get('name'));

/** True if MongoDB removes documents by this index, when they are too old. */
export const isExpiring = (index: IndexFields): boolean => index.has('expireAfterSeconds');

/** True if both index the same documents in the same way. Servers add fields of their own, and differ in types of numbers. */
export const isSameIndex = (one: IndexFields, other: IndexFields): boolean =>
  meaningOf(one) === meaningOf(other);

function meaningOf(index: IndexFields): string {
  const get = (field: string) => index.get(field) ?? null;
  const key = index.get('key') as ReadonlyMap<string, unknown>;
  const seconds = index.get('expireAfterSeconds');
  return mongo.BSON.EJSON.stringify([
    nameOf(index),
    [...key].map(([field, direction]) => [field, String(direction)]),
    Boolean(get('unique')),
    Boolean(get('sparse')),
    Boolean(get('hidden')),
    seconds === undefined ? null : Number(seconds),
    get('partialFilterExpression'),
    get('collation'),
  ]);
}
