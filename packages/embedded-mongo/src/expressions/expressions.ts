import type { Document } from 'bson';
import type { MatchContext } from '../values/match-context.ts';
import { isTrue } from '../values/truth.ts';
import { beginEvaluation } from './bounds.ts';
import { expressionContext } from './compile.ts';

/** Gives the value of an aggregation expression for a document; MISSING if it has none. */
export type Evaluator = (document: Document) => unknown;

/**
 * An aggregation expression as a function. Its `let` variables come from the context.
 * @throws CommandError as MongoDB does, also for operators that this engine does not have (168)
 */
export function compileExpression(
  expression: unknown,
  { variables = new Map(), collator }: MatchContext = {},
): Evaluator {
  const evaluate = expressionContext([...variables.keys()], collator).compile(expression);
  return (document) => {
    beginEvaluation();
    return evaluate(document, variables);
  };
}

/** `$expr` as a predicate. */
export function compilePredicate(
  expression: unknown,
  context: MatchContext,
): (document: Document) => boolean {
  const evaluate = compileExpression(expression, context);
  return (document) => isTrue(evaluate(document));
}

/** A command's `let` variables. They are constant expressions and are evaluated once. */
export function letVariables(variables: Document): Map<string, unknown> {
  return new Map(
    Object.entries(variables).map(([name, expression]) => [name, compileExpression(expression)({})]),
  );
}
