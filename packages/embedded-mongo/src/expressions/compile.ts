import type { Document } from 'bson';
import { demand, mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { outerName } from '../values/names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { partsOfValue } from './bounds.ts';
import type { Evaluate, ExpressionContext } from './evaluate.ts';
import { checkFieldName, parseFieldPath, valueAt } from './field-path.ts';
import { OPERATORS } from './operators/operators.ts';
import { checkReadableName } from './variable-names.ts';

/** The variables that every expression has. */
const BUILT_IN = new Set(['ROOT', 'CURRENT', 'REMOVE', 'NOW']);

/** How expressions are compiled. */
export interface CompileOptions {
  /** The variables that are defined, besides the built-in ones. */
  names: readonly string[];
  collator: Intl.Collator | undefined;
  /** The value of `$$NOW`. */
  now: Date;
  /** True if there is no document: a field is an error (4890500). */
  withoutDocument?: boolean;
}

/** A context for expressions. It counts uses of documents and variables: an expression without them is constant. */
export function expressionContext(options: CompileOptions, uses = { count: 0 }): ExpressionContext {
  const { names, collator } = options;
  const context: ExpressionContext = {
    names: new Set(names),
    collator,
    compile: (expression) => {
      const before = uses.count;
      const evaluate = compile(expression, context, options, uses);
      // MongoDB folds constants, too: their errors come even if no document needs them.
      if (uses.count > before) {
        return evaluate;
      }
      const value = evaluate({}, new Map());
      return Object.assign(() => value, { isConstant: true as const });
    },
    with: (more) => expressionContext({ ...options, names: [...names, ...more] }, uses),
  };
  return context;
}

function compile(
  expression: unknown,
  context: ExpressionContext,
  options: CompileOptions,
  uses: { count: number },
): Evaluate {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    return compilePath(expression.slice(1), context, options, uses);
  }
  if (Array.isArray(expression)) {
    const items = expression.map((item) => context.compile(item));
    return (document, variables) => {
      const part = partsOfValue();
      return items.map((item) => part(item(document, variables) ?? null));
    };
  }
  return isDocument(expression) ? compileDocument(expression, context) : () => expression;
}

/** `a.b` for a path in the current document, `$name.a.b` for one in a variable. */
function compilePath(
  text: string,
  { names }: ExpressionContext,
  { now, withoutDocument }: CompileOptions,
  uses: { count: number },
): Evaluate {
  demand(text !== '', 16872, "'$' by itself is not a valid FieldPath");
  const path = text.startsWith('$') ? text.slice(1) : `CURRENT.${text}`;
  const [name = ''] = path.split('.');
  checkReadableName(name);
  const isOwn = names.has(name);
  demand(isOwn || BUILT_IN.has(name), 17276, `Use of undefined variable: ${name}`);
  const parts = parseFieldPath(path).slice(1);
  if (!isOwn && (name === 'REMOVE' || name === 'NOW')) {
    const value = valueAt(name === 'NOW' ? now : MISSING, parts);
    return () => value;
  }
  uses.count++;
  if (isOwn) {
    return (_, variables) => valueAt(variables.get(name), parts);
  }
  demand(!withoutDocument, 4890500, 'Command let expressions run before any document and have no fields');
  return (document) => valueAt(document, parts);
}

/** An operator with its operand, or a document of expressions. */
function compileDocument(expression: Document, context: ExpressionContext): Evaluate {
  const names = Object.keys(expression);
  const [name = ''] = names;
  if (!name.startsWith('$')) {
    return compileFields(expression, context);
  }
  demand(names.length === 1, 15983, 'An object representing an expression must have exactly one field');
  const operator = lookUp(OPERATORS, name);
  if (!operator) {
    throw mongoError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  }
  return operator(expression[name], context, name);
}

function compileFields(expression: Document, context: ExpressionContext): Evaluate {
  const fields = Object.entries(expression).map(([name, value]) => {
    demand(!outerName(name).includes('.'), 16412, "FieldPath field names may not contain '.'");
    checkFieldName(outerName(name));
    return [name, context.compile(value)] as const;
  });
  return (document, variables) => {
    const part = partsOfValue();
    const result: Document = {};
    for (const [name, evaluate] of fields) {
      const value = part(evaluate(document, variables));
      if (value !== MISSING) {
        result[name] = value;
      }
    }
    return result;
  };
}
