import { calculateObjectSize, type Document } from 'bson';
import { demand, refuse } from '../../base/errors.ts';
import { MAX_STAGE_BYTES } from '../../base/limits.ts';
import { lookUp } from '../../base/look-up.ts';
import { compileExpression, type Evaluator } from '../../expressions/expressions.ts';
import { kindOf } from '../../values/arithmetic.ts';
import { encodeKey } from '../../values/key-encoding.ts';
import type { MatchContext } from '../../values/match-context.ts';
import { outerName } from '../../values/names.ts';
import { isNumeric } from '../../values/numbers.ts';
import { isDocument } from '../../values/types.ts';
import { collecting, type Stage, type StageContext } from '../stage.ts';
import { ACCUMULATORS, type Accumulator } from './accumulators.ts';

/** A rough size of an empty group. */
const GROUP_BYTES = 200;

interface Field {
  name: string;
  evaluate: Evaluator;
  create: () => Accumulator;
  /** $push keeps every value. */
  keepsValues: boolean;
}

/**
 * `$group`: one document for each value of `_id`. Throws 292 if the groups need more than 100 MiB, NotImplemented (238) with
 * a collation.
 */
export function groupStage(operand: unknown, context: StageContext): Stage {
  demand(isDocument(operand), 15947, "a group's fields must be specified in an object");
  const { _id, ...others } = operand;
  const fields = Object.entries(others).map(([name, value]) => compileField(name, value, context));
  demand('_id' in operand, 15955, 'a group specification must include an _id');
  const id = compileId(_id, context);
  refuse(context.collator !== undefined, '$group with a collation');
  return collecting(() => grouping(id, fields));
}

/** Collects documents into groups, by the bytes of their ids, in the order of their beginning. */
function grouping(idOf: Evaluator, fields: readonly Field[]) {
  const groups = new Map<string, { id: unknown; accumulators: Accumulator[] }>();
  let bytes = 0;
  const groupOf = (id: unknown) => {
    const key = encodeKey(id).toString('latin1');
    const group = groups.get(key) ?? { id, accumulators: fields.map(({ create }) => create()) };
    if (!groups.has(key)) {
      groups.set(key, group);
      bytes += GROUP_BYTES + calculateObjectSize({ id });
    }
    return group;
  };
  return {
    add(document: Document): void {
      const group = groupOf(idOf(document));
      for (const [i, { evaluate, keepsValues }] of fields.entries()) {
        const value = evaluate(document);
        group.accumulators[i]?.add(value);
        bytes += keepsValues ? calculateObjectSize({ value }) : 0;
      }
      const isAllowed = bytes <= MAX_STAGE_BYTES;
      demand(isAllowed, 'QueryExceededMemoryLimitNoDiskUseAllowed', 'Exceeded memory limit for $group');
    },
    *results(): Generator<Document> {
      for (const { id, accumulators } of groups.values()) {
        const values = fields.map(({ name }, i) => [name, accumulators[i]?.result()]);
        yield { _id: id ?? null, ...Object.fromEntries(values) };
      }
    },
  };
}

function compileId(expression: unknown, context: MatchContext): Evaluator {
  const evaluate = compileExpression(expression, context);
  const names = isDocument(expression) ? Object.keys(expression) : [];
  const [name = '$'] = names;
  if (name.startsWith('$')) {
    return evaluate;
  }
  const isFlag = (value: unknown) => typeof value === 'boolean' || isNumeric(value);
  const hasFlag = Object.values(expression as Document).some(isFlag);
  demand(!hasFlag, 17390, '$group does not support inclusion-style expressions');
  // A missing value is null where it is the only field (SERVER-21992), and missing beside others.
  return names.length > 1 ? evaluate : (document) => ({ [name]: null, ...(evaluate(document) as Document) });
}

function compileField(name: string, value: unknown, context: StageContext): Field {
  const [operator = '', ...more] = isDocument(value) ? Object.keys(value) : [];
  const create = lookUp(ACCUMULATORS, operator);
  const field = `The field '${outerName(name)}'`;
  demand(operator.startsWith('$'), 40234, `${field} must be an accumulator object`);
  demand(!name.includes('.'), 40235, `${field} cannot contain '.'`);
  demand(!name.startsWith('$'), 40236, `${field} cannot be an operator name`);
  demand(more.length === 0, 40238, `${field} must specify one accumulator`);
  demand(create, 15952, `unknown group operator '${operator}', or not one of the embedded engine's`);
  const given: unknown = (value as Document)[operator];
  const isEmpty = isDocument(given) && Object.keys(given).length === 0;
  demand(operator !== '$count' || isEmpty, 'TypeMismatch', '$count takes no arguments, i.e. $count:{}');
  demand(!Array.isArray(given), 40237, `The ${operator} accumulator is a unary operator`);
  const evaluate = compileExpression(operator === '$count' ? 1 : given, context);
  // MongoDB adds a constant double as it is, without compensation.
  const isRefused = operator === '$sum' && evaluate.isConstant && !isWhole(evaluate({}));
  refuse(isRefused, '$sum of a constant fraction');
  const { isFirstStage = false } = context;
  return { name, evaluate, create: () => create(isFirstStage), keepsValues: operator === '$push' };
}

function isWhole(value: unknown): boolean {
  return !isNumeric(value) || kindOf(value) !== 'double' || Number.isSafeInteger(Number(value));
}
