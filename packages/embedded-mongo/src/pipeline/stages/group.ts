import { calculateObjectSize, type Document } from 'bson';
import { locationError, mongoError, refuseFirst } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { compileExpression, type Evaluator } from '../../expressions/expressions.ts';
import { compareValues } from '../../values/compare.ts';
import { encodeKey } from '../../values/key-encoding.ts';
import type { MatchContext } from '../../values/match-context.ts';
import { outerName } from '../../values/names.ts';
import { isNumeric } from '../../values/numbers.ts';
import { isDocument } from '../../values/types.ts';
import { collecting, type Stage, type StageContext } from '../stage.ts';
import { ACCUMULATORS, type Accumulator } from './accumulators.ts';

/** MongoDB's limit for the groups in memory (internalDocumentSourceGroupMaxMemoryBytes). There is no disk for more. */
const MAX_GROUP_BYTES = 100 * 1024 * 1024;

/** A rough size of an empty group. */
const GROUP_BYTES = 200;

interface Field {
  name: string;
  evaluate: Evaluator;
  create: () => Accumulator;
  /** $push keeps every value. */
  keepsValues: boolean;
}

/** `$group`: one document for each value of `_id`. Throws 292 if the groups need more than 100 MiB. */
export function groupStage(operand: unknown, context: StageContext): Stage {
  if (!isDocument(operand)) {
    throw locationError(15947, "a group's fields must be specified in an object");
  }
  const { _id, ...others } = operand;
  const fields = Object.entries(others).map(([name, value]) => compileField(name, value, context));
  if (!('_id' in operand)) {
    throw locationError(15955, 'a group specification must include an _id');
  }
  const id = compileId(_id, context);
  return collecting(() => new Grouping(id, fields, context.collator));
}

interface Group {
  id: unknown;
  accumulators: Accumulator[];
}

/** Collects documents into groups: `add` each document, then read the `results`. */
class Grouping {
  /** In the order of their beginning. */
  readonly #groups: Group[] = [];
  readonly #byKey = new Map<string, Group>();
  /** With a collation: in the order of their ids. */
  readonly #sorted: Group[] = [];
  readonly #id: Evaluator;
  readonly #fields: readonly Field[];
  #bytes = 0;

  readonly #collator: Intl.Collator | undefined;

  constructor(id: Evaluator, fields: readonly Field[], collator: Intl.Collator | undefined) {
    this.#id = id;
    this.#fields = fields;
    this.#collator = collator;
  }

  add(document: Document): void {
    const group = this.#groupOf(this.#id(document));
    for (const [i, { evaluate, keepsValues }] of this.#fields.entries()) {
      const value = evaluate(document);
      group.accumulators[i]?.add(value);
      this.#bytes += keepsValues ? calculateObjectSize({ value }) : 0;
    }
    if (this.#bytes > MAX_GROUP_BYTES) {
      const message = `PlanExecutor error during aggregation :: caused by :: Exceeded memory limit for $group of ${MAX_GROUP_BYTES} bytes`;
      throw mongoError('QueryExceededMemoryLimitNoDiskUseAllowed', message);
    }
  }

  #groupOf(id: unknown): Group {
    if (this.#collator) {
      const { at, found } = this.#position(id, this.#collator);
      if (!found) {
        this.#sorted.splice(at, 0, this.#begin(id));
      }
      return this.#sorted[at] as Group;
    }
    const key = encodeKey(id).toString('latin1');
    const group = this.#byKey.get(key) ?? this.#begin(id);
    this.#byKey.set(key, group);
    return group;
  }

  #begin(id: unknown): Group {
    const group = { id, accumulators: this.#fields.map(({ create }) => create()) };
    this.#groups.push(group);
    this.#bytes += GROUP_BYTES + calculateObjectSize({ id });
    return group;
  }

  /** The place of an id among the sorted groups. */
  #position(id: unknown, collator: Intl.Collator): { at: number; found: boolean } {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = compareValues(this.#sorted[middle]?.id, id, collator);
      if (order === 0) {
        return { at: middle, found: true };
      }
      [low, high] = order < 0 ? [middle + 1, high] : [low, middle];
    }
    return { at: low, found: false };
  }

  *results(): Generator<Document> {
    for (const { id, accumulators } of this.#groups) {
      const values = this.#fields.map(({ name }, i) => [name, accumulators[i]?.result()]);
      yield { _id: id ?? null, ...Object.fromEntries(values) };
    }
  }
}

function compileId(expression: unknown, context: MatchContext): Evaluator {
  const evaluate = compileExpression(expression, context);
  const names = isDocument(expression) ? Object.keys(expression) : [];
  const [name = '$'] = names;
  if (name.startsWith('$')) {
    return evaluate;
  }
  if (Object.values(expression as Document).some((value) => typeof value === 'boolean' || isNumeric(value))) {
    throw locationError(17390, '$group does not support inclusion-style expressions');
  }
  // A missing value is null where it is the only field (SERVER-21992), and missing beside others.
  return names.length > 1 ? evaluate : (document) => ({ [name]: null, ...(evaluate(document) as Document) });
}

function compileField(name: string, value: unknown, context: MatchContext): Field {
  const [operator = '', ...more] = isDocument(value) ? Object.keys(value) : [];
  const create = lookUp(ACCUMULATORS, operator) as (typeof ACCUMULATORS)[string];
  const field = `The field '${outerName(name)}'`;
  refuseFirst(
    [!operator.startsWith('$'), 40234, `${field} must be an accumulator object`],
    [name.includes('.'), 40235, `${field} cannot contain '.'`],
    [name.startsWith('$'), 40236, `${field} cannot be an operator name`],
    [more.length > 0, 40238, `${field} must specify one accumulator`],
    [!create, 15952, `unknown group operator '${operator}', or not one of the embedded engine's`],
  );
  const evaluate = compileExpression(operandOf(operator, (value as Document)[operator]), context);
  const options = { collator: context.collator, isConstant: evaluate.isConstant };
  return { name, evaluate, create: () => create(options), keepsValues: operator === '$push' };
}

function operandOf(operator: string, operand: unknown): unknown {
  if (operator === '$count') {
    if (isDocument(operand) && Object.keys(operand).length === 0) {
      return 1;
    }
    throw mongoError('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
  }
  if (Array.isArray(operand)) {
    throw locationError(40237, `The ${operator} accumulator is a unary operator`);
  }
  return operand;
}
