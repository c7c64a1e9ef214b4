import { Double, Int32, Long } from 'bson';
import type { Doc, Numeric, Value } from './model.ts';
import { compare, type Reached } from './reference-find.ts';

/*
 * What MongoDB's manual says of sorts, projections and sums, in the fewest lines. Nothing here comes from the engine.
 */

/** Compares documents by one field: an array counts by its smallest element upwards, by its largest downwards (manual: sort). */
export function compareBy(path: readonly string[], direction: 1 | -1): (left: Doc, right: Doc) => number {
  const keyOf = (document: Doc): Reached | 'empty' => {
    const value = path.reduce<Reached>(
      (at, name) => (at instanceof Map ? at.get(name) : undefined),
      document,
    );
    if (!Array.isArray(value)) {
      return value;
    }
    const [first, ...others] = value;
    return value.length === 0
      ? EMPTY
      : others.reduce((best, each) => (direction * compare(each, best) < 0 ? each : best), first as Value);
  };
  return (left, right) => {
    const [one, other] = [keyOf(left), keyOf(right)];
    return direction * (Number(other === EMPTY) - Number(one === EMPTY) || compare(one, other));
  };
}

/** An empty array sorts before everything else, null too. */
const EMPTY = 'empty' as const;

/** Keeps the given paths (manual: projection). `_id` is kept at its place; a scalar has no part to keep. */
export function include(value: Value, paths: readonly string[][]): Reached {
  if (paths.some((path) => path.length === 0)) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((element) => include(element, paths)).filter((element) => element !== undefined);
  }
  if (!(value instanceof Map)) {
    return undefined;
  }
  return project(value, paths, (each, rest) => (rest.length > 0 ? include(each, rest) : undefined));
}

/** A path of a projection, and the value that it computes; undefined for a path that is kept. */
export type Projected = [path: string[], computed?: Value];

/**
 * Keeps and computes paths (src/mongo/db/exec/projection_node.cpp). A field with a computed one inside it keeps its place in the document,
 * or is added at the end; each element of an array gets the computed field, and a scalar makes place for it.
 */
export function compute(value: Reached, projected: readonly Projected[]): Reached {
  if (Array.isArray(value)) {
    return value.map((element) => compute(element, projected) as Value);
  }
  const document: Doc = value instanceof Map ? value : new Map();
  const result: Doc = new Map();
  const partsOf = (name: string) =>
    projected.flatMap(([[first, ...rest], ...computed]): Projected[] =>
      first === name ? [[rest, ...computed]] : [],
    );
  const set = (name: string, each: Reached) => each !== undefined && result.set(name, each);
  for (const [name, each] of document) {
    const parts = partsOf(name);
    if (parts.some(([rest, computed]) => computed !== undefined && rest.length > 0)) {
      set(name, compute(each, parts));
    } else if (parts.length > 0 && parts.every(([, computed]) => computed === undefined)) {
      set(
        name,
        include(
          each,
          parts.map(([rest]) => rest),
        ),
      );
    }
  }
  for (const [[name = '']] of projected) {
    const parts = partsOf(name);
    const [rest, computed] = parts.find(([, inner]) => inner !== undefined) ?? [];
    if (computed !== undefined && !result.has(name)) {
      result.set(name, rest?.length === 0 ? computed : (compute(undefined, parts) as Value));
    }
  }
  return result;
}

/** Leaves out the given paths. What has no such part stays as it is. */
export function exclude(value: Value, paths: readonly string[][]): Reached {
  if (paths.some((path) => path.length === 0)) {
    return undefined;
  }
  if (Array.isArray(value)) {
    return value.map((element) => exclude(element, paths) as Value);
  }
  return value instanceof Map
    ? project(value, paths, (each, rest) => (rest.length > 0 ? exclude(each, rest) : each))
    : value;
}

function project(
  document: Doc,
  paths: readonly string[][],
  each: (value: Value, rest: string[][]) => Reached,
): Doc {
  const kept: Doc = new Map();
  for (const [name, value] of document) {
    const rest = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    const result = each(value, rest);
    if (result !== undefined) {
      kept.set(name, result);
    }
  }
  return kept;
}

/** The sum of numbers, in the widest of their types; an int that has no room becomes a long (manual: $sum, $inc). */
export function sum(numbers: readonly Numeric[]): Numeric {
  if (numbers.some((each) => each instanceof Double)) {
    return new Double(numbers.reduce((before, each) => before + Number(each.toString()), 0));
  }
  const total = numbers.reduce((before, each) => before + BigInt(each.toString()), 0n);
  const fits = BigInt.asIntN(32, total) === total && !numbers.some((each) => each instanceof Long);
  return fits ? new Int32(Number(total)) : Long.fromBigInt(total);
}
