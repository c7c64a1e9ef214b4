import { type Doc, isNumeric, twice, type Value } from './model.ts';

/*
 * What MongoDB's manual says of comparison, queries, sorts and projections, in the fewest lines and without any thought of
 * speed. Nothing here comes from the engine.
 */

export type Reached = Value | undefined;

const WHOLE = /^(0|[1-9]\d*)$/;

/** The place of a value's type in the order of types (manual: BSON comparison order). */
export function rankOf(value: Reached): number {
  const ranks: [boolean, number][] = [
    [value === undefined || value === null, 1],
    [isNumeric(value), 2],
    [typeof value === 'string', 3],
    [value instanceof Map, 4],
    [Array.isArray(value), 5],
    [typeof value === 'boolean', 6],
  ];
  return ranks.find(([holds]) => holds)?.[1] ?? 7;
}

/** Compares two values in the order of types. A missing value is null here. */
export function compare(left: Reached, right: Reached): number {
  const ranks = rankOf(left) - rankOf(right);
  if (ranks !== 0 || rankOf(left) === 1) {
    return Math.sign(ranks);
  }
  if (isNumeric(left) && isNumeric(right)) {
    return Number(twice(left) > twice(right)) - Number(twice(left) < twice(right));
  }
  if (typeof left === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right as string));
  }
  if (left instanceof Map || Array.isArray(left)) {
    return compareFields([...left.entries()], [...(right as Doc).entries()]);
  }
  return Math.sign(Number(left) - Number(right));
}

/** Field by field: the type, then the name, then the value. The one that ends first is less. */
function compareFields(left: [string | number, Value][], right: [string | number, Value][]): number {
  for (const [at, [name, value]] of left.entries()) {
    const [otherName, otherValue] = right[at] ?? [];
    if (otherName === undefined) {
      return 1;
    }
    const names = Buffer.compare(Buffer.from(String(name)), Buffer.from(String(otherName)));
    const order = Math.sign(rankOf(value) - rankOf(otherValue)) || names || compare(value, otherValue);
    if (order !== 0) {
      return order;
    }
  }
  return left.length < right.length ? -1 : 0;
}

/** What a path of a query reaches. `leaves` also gives the elements of an array at its end, but not of one reached by its place. */
export function reach(value: Reached, parts: readonly string[], leaves: boolean): Reached[] {
  const [name, ...rest] = parts;
  if (name === undefined) {
    return leaves && Array.isArray(value) ? [...value, value] : [value];
  }
  if (value instanceof Map) {
    return reach(value.get(name), rest, leaves);
  }
  if (!Array.isArray(value)) {
    return [undefined];
  }
  return value.flatMap((element, at) => {
    const named = element instanceof Map ? reach(element, parts, leaves) : [];
    const placed = WHOLE.test(name) && Number(name) === at ? reachPlaced(element, rest, leaves) : [];
    return [...named, ...placed];
  });
}

function reachPlaced(element: Value, rest: readonly string[], leaves: boolean): Reached[] {
  if (rest.length === 0) {
    return [element];
  }
  return typeof element === 'object' && element !== null && rankOf(element) >= 4 && rankOf(element) <= 5
    ? reach(element, rest, leaves)
    : [];
}

type Test = (value: Reached) => boolean;

/** The comparisons of a query: they hold for values of the same type only (manual: comparison query operators). */
export function comparison(operator: string, operand: Value): Test {
  const holds: Record<string, (order: number) => boolean> = {
    $eq: (order) => order === 0,
    $gt: (order) => order > 0,
    $gte: (order) => order >= 0,
    $lt: (order) => order < 0,
    $lte: (order) => order <= 0,
  };
  return (value) =>
    rankOf(value) === rankOf(operand) && (holds[operator]?.(compare(value, operand)) ?? false);
}

/** One condition on a path. */
export function holds(document: Value, path: string, operator: string, operand: unknown): boolean {
  const parts = path.split('.');
  const reached = (leaves: boolean) => reach(document, parts, leaves);
  const equals = (value: Value) => reached(true).some(comparison('$eq', value));
  const values = operand as Value[];
  switch (operator) {
    case '$ne':
      return !equals(operand as Value);
    case '$in':
      return values.some(equals);
    case '$nin':
      return !values.some(equals);
    case '$all':
      return values.length > 0 && values.every(equals);
    case '$exists':
      return reached(false).some((value) => value !== undefined) === operand;
    case '$size':
      return reached(false).some((value) => Array.isArray(value) && value.length === operand);
    case '$not':
      return !every(operand, (inner, value) => holds(document, path, inner, value));
    case '$elemMatch':
      return reached(false).some(
        (array) =>
          Array.isArray(array) &&
          array.some((element) => every(operand, (inner, value) => comparison(inner, value)(element))),
      );
    default:
      return reached(true).some(comparison(operator, operand as Value));
  }
}

function every(conditions: unknown, test: (operator: string, operand: Value) => boolean): boolean {
  return Object.entries(conditions as Record<string, Value>).every(([name, value]) => test(name, value));
}

export type Filter = { [name: string]: Record<string, unknown> | Filter[] };

/** Whether a document matches a filter whose conditions all have operators. */
export function matches(document: Doc, filter: Filter): boolean {
  return Object.entries(filter).every(([name, value]) => {
    const any = () => (value as Filter[]).some((each) => matches(document, each));
    switch (name) {
      case '$and':
        return (value as Filter[]).every((each) => matches(document, each));
      case '$or':
        return any();
      case '$nor':
        return !any();
      default:
        return Object.entries(value).every(([operator, operand]) => holds(document, name, operator, operand));
    }
  });
}
