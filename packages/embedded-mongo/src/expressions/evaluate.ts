import type { Document } from 'bson';

/** The values of variables, by their names without `$$`. */
export type Variables = ReadonlyMap<string, unknown>;

/** Gives the value of a compiled expression for a document; MISSING if it has none. */
export interface Evaluate {
  (document: Document, variables: Variables): unknown;
  /** True if the value is the same for all documents. */
  readonly isConstant?: true;
}

/** What an operator may use to compile its operand. */
export interface ExpressionContext {
  /** The variables that are defined where the expression stands. */
  names: ReadonlySet<string>;
  /** How strings compare; by default, by their UTF-8 bytes. */
  collator: Intl.Collator | undefined;
  /** Compiles an expression in the operand. */
  compile(expression: unknown): Evaluate;
  /** The same context with more variables. */
  with(names: readonly string[]): ExpressionContext;
}

/** Checks the operand of an operator and compiles it. `name` is the operator's, for its errors. */
export type OperatorCompiler = (operand: unknown, context: ExpressionContext, name: string) => Evaluate;
