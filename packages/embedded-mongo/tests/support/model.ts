import { Decimal128, Double, Int32, Long } from 'bson';

/** A document of the references: a map keeps the order of every name, also of names that are whole numbers. */
export type Doc = Map<string, Value>;
export type Numeric = Int32 | Long | Double | Decimal128;
export type Value = Numeric | string | boolean | null | Date | Value[] | Doc;

/** A random source with choices. */
export class Chance {
  constructor(private readonly random: () => number) {}

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  happens(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** A number of any type: halves, so that equal numbers of different types are common, and some at the limits. */
export function anyNumber(chance: Chance): Numeric {
  const half = chance.below(9) / 2 - 1;
  return chance.pick<() => Numeric>([
    () => new Int32(Math.floor(half)),
    () => Long.fromNumber(Math.floor(half)),
    () => new Double(half),
    () => Decimal128.fromString(String(half)),
    () => chance.pick([new Int32(2147483647), Long.fromString('9007199254740993'), new Double(2 ** 53)]),
  ])();
}

export function anyScalar(chance: Chance): Value {
  return chance.pick<() => Value>([
    () => anyNumber(chance),
    () => anyNumber(chance),
    () => chance.pick(['', 'a', 'ab', 'b', 'é']),
    () => null,
    () => chance.happens(0.5),
    () => new Date(chance.below(3)),
  ])();
}

/** A scalar, an array or a document of any shape, arrays of arrays and names that are whole numbers among them. */
export function anyValue(chance: Chance, depth = 0): Value {
  if (depth < 3 && chance.happens(0.25)) {
    return Array.from({ length: chance.below(4) }, () => anyValue(chance, depth + 1));
  }
  if (depth < 3 && chance.happens(0.25)) {
    return anyDocument(chance, ['x', 'y', '1', '0'], depth + 1);
  }
  return anyScalar(chance);
}

/** A document with some of the names, in any order. */
export function anyDocument(chance: Chance, names: readonly string[], depth = 0): Doc {
  const left = names.filter(() => chance.happens(0.7));
  const document: Doc = new Map();
  while (left.length > 0) {
    document.set(left.splice(chance.below(left.length), 1)[0] as string, anyValue(chance, depth));
  }
  return document;
}

/** Documents with an `_id` from 0 on. `c` is never an array, because two fields of an index cannot both be arrays. */
export function someDocuments(chance: Chance, count: number): Doc[] {
  return Array.from({ length: count }, (_, id) => {
    const document: Doc = new Map<string, Value>([['_id', new Int32(id)]]);
    for (const [name, value] of anyDocument(chance, ['a', 'b', '7'])) {
      document.set(name, value);
    }
    return chance.happens(0.7) ? document.set('c', anyScalar(chance)) : document;
  });
}

export const idOf = (document: Doc): number => Number(document.get('_id'));

export function isNumeric(value: unknown): value is Numeric {
  return (
    value instanceof Int32 || value instanceof Long || value instanceof Double || value instanceof Decimal128
  );
}

/** Twice the number: it is whole for every number that these tests use, so it is exact. */
export function twice(value: Numeric): bigint {
  if (value instanceof Long) {
    return value.toBigInt() * 2n;
  }
  return BigInt(Number(value.toString()) * 2);
}

/** A document in JavaScript's notation, with types and order, for a failure's message. */
export function shown(value: unknown): string {
  if (value instanceof Map) {
    return `{${[...value].map(([name, each]) => `${name}: ${shown(each)}`).join(', ')}}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(shown).join(', ')}]`;
  }
  if (isNumeric(value)) {
    return `${value._bsontype}(${value})`;
  }
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    return shown(new Map(Object.entries(value)));
  }
  return JSON.stringify(value) ?? 'missing';
}
