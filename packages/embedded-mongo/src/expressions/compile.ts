import type { Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { display } from '../values/display.ts';
import { outerName } from '../values/names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { partsOfValue } from './bounds.ts';
import type { Evaluate, ExpressionContext } from './evaluate.ts';
import { parseFieldPath, valueAt } from './field-path.ts';
import { OPERATORS } from './operators/operators.ts';

/** The variables that every expression has. */
const BUILT_IN = new Set(['ROOT', 'CURRENT', 'REMOVE', 'NOW']);

/** A context for expressions with these variables, besides the built-in ones. */
export function expressionContext(
  names: readonly string[],
  collator: Intl.Collator | undefined,
): ExpressionContext {
  const context: ExpressionContext = {
    names: new Set(names),
    collator,
    compile: (expression) => compile(expression, context),
    with: (more) => expressionContext([...names, ...more], collator),
  };
  return context;
}

function compile(expression: unknown, context: ExpressionContext): Evaluate {
  if (typeof expression === 'string' && expression.startsWith('$')) {
    return expression.startsWith('$$')
      ? compileVariable(expression.slice(2), context)
      : compilePath(expression.slice(1));
  }
  if (Array.isArray(expression)) {
    const items = expression.map((item) => compile(item, context));
    return (document, variables) => {
      const part = partsOfValue();
      return items.map((item) => part(item(document, variables) ?? null));
    };
  }
  return isDocument(expression) ? compileDocument(expression, context) : () => expression;
}

function compilePath(path: string): Evaluate {
  if (path === '') {
    throw locationError(16872, "'$' by itself is not a valid FieldPath");
  }
  const parts = parseFieldPath(path);
  return (document) => valueAt(document, parts);
}

/** `$$name`, or `$$name.a.b` for a part of its value. */
function compileVariable(text: string, { names }: ExpressionContext): Evaluate {
  const [name = '', ...rest] = text.split('.');
  if (!names.has(name) && !BUILT_IN.has(name)) {
    throw locationError(17276, `Use of undefined variable: ${name}`);
  }
  const parts = rest.length === 0 ? [] : parseFieldPath(rest.join('.'));
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return (document) => valueAt(document, parts);
    case 'REMOVE':
      return () => MISSING;
    case 'NOW': {
      // One time for the whole command.
      const now = valueAt(new Date(), parts);
      return () => now;
    }
    default:
      return (_, variables) => valueAt(variables.get(name), parts);
  }
}

/** An operator with its operand, or a document of expressions. */
function compileDocument(expression: Document, context: ExpressionContext): Evaluate {
  const names = Object.keys(expression);
  const [name = ''] = names;
  if (!name.startsWith('$')) {
    return compileFields(expression, context);
  }
  if (names.length > 1) {
    throw locationError(
      15983,
      `An object representing an expression must have exactly one field: ${display(expression)}`,
    );
  }
  const operator = lookUp(OPERATORS, name);
  if (!operator) {
    throw mongoError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  }
  return operator(expression[name], context, name);
}

function compileFields(expression: Document, context: ExpressionContext): Evaluate {
  const fields = Object.entries(expression).map(([name, value]) => {
    if (outerName(name).includes('.')) {
      throw locationError(
        16412,
        "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
      );
    }
    if (name.startsWith('$')) {
      throw locationError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
      );
    }
    return [name, compile(value, context)] as const;
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
