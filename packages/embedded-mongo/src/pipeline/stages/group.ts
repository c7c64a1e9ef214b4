import type { Document } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { compileExpression, type Evaluator } from '../../expressions/expressions.ts';
import { encodeKey } from '../../values/key-encoding.ts';
import type { MatchContext } from '../../values/match-context.ts';
import { isDocument } from '../../values/types.ts';
import type { Stage, StageContext } from '../stage.ts';
import { ACCUMULATORS, type Accumulator } from './accumulators.ts';

/** `$group`: one document for each value of `_id`. */
export function groupStage(operand: unknown, context: StageContext): Stage {
  return function* group(documents) {
    const grouping = new Grouping(operand, context);
    for (const document of documents) {
      if (document) {
        grouping.add(document);
      } else {
        yield undefined;
      }
    }
    yield* grouping.results();
  };
}

interface Field {
  name: string;
  evaluate: Evaluator;
  create: () => Accumulator;
}

/** Collects documents into groups: `add` each document, then read the `results`. */
class Grouping {
  readonly #groups = new Map<string, { id: unknown; accumulators: Accumulator[] }>();
  readonly #fields: Field[];
  readonly #id: Evaluator;

  constructor(specification: unknown, context: MatchContext) {
    if (!isDocument(specification)) {
      throw locationError(15947, "a group's fields must be specified in an object");
    }
    if (!('_id' in specification)) {
      throw locationError(15955, 'a group specification must include an _id');
    }
    const { _id, ...fields } = specification;
    this.#id = compileExpression(_id, context);
    this.#fields = Object.entries(fields).map(([name, value]) => compileField(name, value, context));
  }

  add(document: Document): void {
    const id = this.#id(document);
    const key = encodeKey(id).toString('latin1');
    let group = this.#groups.get(key);
    if (!group) {
      group = { id, accumulators: this.#fields.map(({ create }) => create()) };
      this.#groups.set(key, group);
    }
    for (const [i, { evaluate }] of this.#fields.entries()) {
      group.accumulators[i]?.add(evaluate(document));
    }
  }

  *results(): Generator<Document> {
    for (const { id, accumulators } of this.#groups.values()) {
      const values = this.#fields.map(({ name }, i) => [name, accumulators[i]?.result()]);
      yield { _id: id ?? null, ...Object.fromEntries(values) };
    }
  }
}

function compileField(name: string, value: unknown, context: MatchContext): Field {
  if (name.includes('.')) {
    throw locationError(40235, `The field name '${name}' cannot contain '.'`);
  }
  const operators = isDocument(value) ? Object.keys(value) : [];
  const [operator = ''] = operators;
  if (!operator.startsWith('$')) {
    throw locationError(40234, `The field '${name}' must be an accumulator object`);
  }
  if (operators.length > 1) {
    throw locationError(40238, `The field '${name}' must specify one accumulator`);
  }
  const create = lookUp(ACCUMULATORS, operator);
  if (!create) {
    throw locationError(15952, `unknown group operator '${operator}'`);
  }
  const expression = (value as Document)[operator];
  if (Array.isArray(expression)) {
    throw locationError(40237, `The ${operator} accumulator is a unary operator`);
  }
  if (operator === '$count' && !(isDocument(expression) && Object.keys(expression).length === 0)) {
    throw mongoError('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
  }
  const evaluate = compileExpression(operator === '$count' ? 1 : expression, context);
  const options = { collator: context.collator, isConstant: evaluate.isConstant };
  return { name, evaluate, create: () => create(options) };
}
