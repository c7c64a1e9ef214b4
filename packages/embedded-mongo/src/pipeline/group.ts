import type { Document } from 'bson';
import { locationError } from '../base/errors.ts';
import { checkExpression, type Evaluator, evaluator } from '../expressions/expressions.ts';
import type { MatchContext } from '../matching/match-operators.ts';
import { add, asDouble, isNumeric } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { encodeKey } from '../values/key-encoding.ts';
import type { BsonNumber } from '../values/numbers.ts';
import { bsonTypeName, isDocument, lookUp, MISSING } from '../values/values.ts';

/** What an accumulator has seen so far. */
interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

const ACCUMULATORS: Record<string, () => Accumulator> = {
  $sum: () => folding<BsonNumber>(0, (sum, value) => (isNumeric(value) ? add(sum, value) : sum)),
  $count: () => folding<BsonNumber>(0, (count) => add(count, 1)),
  $avg: average,
  $min: () =>
    folding<unknown>(
      MISSING,
      (least, value) =>
        isNil(value) || (least !== MISSING && compareValues(value, least) >= 0) ? least : value,
      null,
    ),
  $max: () =>
    folding<unknown>(
      MISSING,
      (most, value) => (isNil(value) || (most !== MISSING && compareValues(value, most) <= 0) ? most : value),
      null,
    ),
  $first: first,
  $last: () => folding<unknown>(null, (_, value) => value ?? null),
  $push: pushed,
  $addToSet: distinctValues,
  $mergeObjects: () =>
    folding<Document>({}, (merged, value) => (isDocument(value) ? { ...merged, ...value } : merged)),
};

function isNil(value: unknown): boolean {
  return value === null || value === MISSING;
}

function folding<T>(
  initial: T,
  step: (state: T, value: unknown) => T,
  whenMissing: unknown = MISSING,
): Accumulator {
  let state = initial;
  return {
    add: (value) => {
      state = step(state, value);
    },
    result: () => (state === MISSING ? whenMissing : state),
  };
}

function average(): Accumulator {
  let count = 0;
  let sum: BsonNumber = 0;
  return {
    add: (value) => {
      if (!isNumeric(value)) return;
      count++;
      sum = add(sum, value);
    },
    result: () => (count === 0 ? null : asDouble(Number(sum) / count)),
  };
}

function first(): Accumulator {
  let seen = false;
  let value: unknown = null;
  return {
    add: (next) => {
      if (!seen) value = next ?? null;
      seen = true;
    },
    result: () => value,
  };
}

function pushed(): Accumulator {
  const list: unknown[] = [];
  return {
    add: (value) => {
      if (value !== MISSING) list.push(value);
    },
    result: () => list,
  };
}

function distinctValues(): Accumulator {
  const values = new Map<string, unknown>();
  return {
    add: (value) => {
      if (value !== MISSING) values.set(encodeKey(value).toString('latin1'), value);
    },
    result: () => [...values.values()],
  };
}

interface Field {
  name: string;
  expression: unknown;
  create: () => Accumulator;
}

/** `$group` as a collector of documents: `add` each, then take the `results`. */
export class Grouping {
  private readonly groups = new Map<string, { id: unknown; accumulators: Accumulator[] }>();
  private readonly fields: Field[];
  private readonly evaluate: Evaluator;
  private readonly id: unknown;

  constructor(specification: unknown, context: MatchContext) {
    if (!isDocument(specification))
      throw locationError(15947, "a group's fields must be specified in an object");
    if (!('_id' in specification)) throw locationError(15955, 'a group specification must include an _id');
    const { _id, ...fields } = specification;
    checkExpression(_id);
    this.id = _id;
    this.fields = Object.entries(fields).map(([name, value]) => compileField(name, value));
    this.evaluate =
      isConstant(_id) && this.fields.every((field) => isConstant(field.expression))
        ? constant
        : evaluator(context);
  }

  add(document: Document): void {
    const id = this.evaluate(document, this.id);
    const key = encodeKey(id).toString('latin1');
    let group = this.groups.get(key);
    if (!group) {
      group = { id, accumulators: this.fields.map(({ create }) => create()) };
      this.groups.set(key, group);
    }
    for (const [i, { expression }] of this.fields.entries()) {
      group.accumulators[i]?.add(this.evaluate(document, expression));
    }
  }

  *results(): Generator<Document> {
    for (const { id, accumulators } of this.groups.values()) {
      const values = this.fields.map(({ name }, i) => [name, accumulators[i]?.result()]);
      yield { _id: id ?? null, ...Object.fromEntries(values) };
    }
  }
}

/** The driver's countDocuments groups by a constant: it need not wait for mingo. */
function isConstant(expression: unknown): boolean {
  return expression === null || typeof expression === 'number';
}

const constant: Evaluator = (_, expression) => expression;

function compileField(name: string, value: unknown): Field {
  if (name.includes('.')) throw locationError(40235, `The field name '${name}' cannot contain '.'`);
  const operators = isDocument(value) ? Object.keys(value) : [];
  const [operator = ''] = operators;
  if (!operator.startsWith('$'))
    throw locationError(40234, `The field '${name}' must be an accumulator object`);
  if (operators.length > 1) throw locationError(40238, `The field '${name}' must specify one accumulator`);
  const create = lookUp(ACCUMULATORS, operator);
  if (!create) throw locationError(15952, `unknown group operator '${operator}'`);
  const expression = (value as Document)[operator];
  if (operator === '$count' && !(isDocument(expression) && Object.keys(expression).length === 0)) {
    throw locationError(40237, `The $count accumulator takes no arguments, not ${bsonTypeName(expression)}`);
  }
  checkExpression(expression);
  return { name, expression: operator === '$count' ? 1 : expression, create };
}
