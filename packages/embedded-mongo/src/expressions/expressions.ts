import type { Document } from 'bson';
import type { AnyObject, Options } from 'mingo/types';
import { CommandError, mongoError } from '../base/errors.ts';
import type { MatchContext } from '../values/match-context.ts';
import { isDocument } from '../values/types.ts';
import { loadMingo } from './mingo.ts';
import { isTrue } from './typed-operators.ts';

/** Gives the value of an aggregation expression for a document. */
export type Evaluator = (document: Document, expression: unknown) => unknown;

/** An evaluator of aggregation expressions. Its `let` variables come from the context. */
export function evaluator({ variables }: MatchContext = {}): Evaluator {
  const { core, context } = loadMingo();
  const options: Partial<Options> = { context, ...(variables && { variables: variables as AnyObject }) };
  return (document, expression) => {
    try {
      return core.evalExpr(document, expression as never, options as Options);
    } catch (error) {
      throw error instanceof CommandError ? error : mongoError('BadValue', String((error as Error).message));
    }
  };
}

/** Refuses an expression with operators that this engine does not have, before it reads any document. */
export function checkExpression(expression: unknown): void {
  if (Array.isArray(expression)) {
    for (const item of expression) {
      checkExpression(item);
    }
  }
  if (typeof expression === 'string' && /^\$.*\.\d+(\.|$)/.test(expression)) {
    // In MongoDB this is never a position in an array. In mingo it is one.
    throw mongoError(
      'NotImplemented',
      `a number in the field path ${expression} is not implemented by the embedded engine`,
    );
  }
  if (!isDocument(expression)) {
    return;
  }
  for (const [name, operand] of Object.entries(expression)) {
    if (name === '$literal') {
      return;
    }
    if (name.startsWith('$') && !loadMingo().known.has(name)) {
      throw mongoError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
    }
    checkExpression(operand);
  }
}

/** A command's `let` variables. They are constant expressions and are evaluated once. */
export function letVariables(variables: Document): Document {
  const isPlainValue = (value: unknown) =>
    !isDocument(value) && !Array.isArray(value) && !String(value).startsWith('$');
  if (Object.values(variables).every(isPlainValue)) {
    return variables;
  }
  checkExpression(variables);
  return evaluator()({}, variables) as Document;
}

/** `$expr` as a predicate. */
export function compileExpression(
  expression: unknown,
  context: MatchContext,
): (document: Document) => boolean {
  checkExpression(expression);
  const evaluate = evaluator(context);
  return (document) => isTrue(evaluate(document, expression));
}
