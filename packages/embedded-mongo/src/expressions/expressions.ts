import type { Document } from 'bson';
import type { MatchContext } from '../values/match-context.ts';
import { isTrue } from '../values/truth.ts';
import { beginEvaluation } from './bounds.ts';
import { expressionContext } from './compile.ts';
import { checkWritableName, variableDefinitions } from './variable-names.ts';

/** Gives the value of an aggregation expression for a document; MISSING if it has none. */
export interface Evaluator {
  (document: Document): unknown;
  /** True if the value is the same for all documents. */
  readonly isConstant?: boolean;
}

/**
 * An aggregation expression as a function. Its `let` variables come from the context.
 * @throws CommandError as MongoDB does, also for operators that this engine does not have (168)
 */
export function compileExpression(
  expression: unknown,
  { variables = new Map(), collator, now = new Date() }: MatchContext = {},
): Evaluator {
  beginEvaluation();
  const context = expressionContext({ names: [...variables.keys()], collator, now });
  const evaluate = context.compile(expression);
  const evaluator = (document: Document) => {
    beginEvaluation();
    return evaluate(document, variables);
  };
  return Object.assign(evaluator, { isConstant: evaluate.isConstant === true });
}

/** `$expr` as a predicate. */
export function compilePredicate(
  expression: unknown,
  context: MatchContext,
): (document: Document) => boolean {
  const evaluate = compileExpression(expression, context);
  return (document) => isTrue(evaluate(document));
}

/**
 * A command's `let` variables. They are evaluated once, in their order, and each can use those before it.
 * @throws CommandError for a name that is not allowed (9) and for the use of a field (4890500)
 */
export function letVariables(
  definitions: Document,
  { collator, now = new Date() }: MatchContext,
): Map<string, unknown> {
  beginEvaluation();
  const values = new Map<string, unknown>();
  for (const [name, expression] of variableDefinitions(definitions)) {
    checkWritableName(name);
    const options = { names: [...values.keys()], collator, now, withoutDocument: true };
    values.set(name, expressionContext(options).compile(expression)({}, values));
  }
  return values;
}
