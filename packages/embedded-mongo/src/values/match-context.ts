/** What the patterns of a filter, projection or update cost together, at worst. */
export interface PatternCost {
  /** The states of their machines. */
  states: number;
  /** The time on the present document. */
  nanos: number;
}

/** What a filter or an expression uses besides the document. */
export interface MatchContext {
  /** The command's `let` variables, for expressions. The values inside a $lookup change from document to document. */
  variables?: ReadonlyMap<string, unknown>;
  /** How strings compare: the command's collation. */
  collator?: Intl.Collator | undefined;
  /** The time of the command, for `$$NOW`. */
  now?: Date;
  /** That of the projection or update which contains the filter. */
  patternCost?: PatternCost;
}

/**
 * Compiles a function on documents. Its patterns share one cost, so that their time on one document is bounded: also if they
 * test each element of an array.
 */
export function boundPatterns<C extends MatchContext, A extends unknown[], R>(
  context: C,
  compile: (context: C & { patternCost: PatternCost }) => (...args: A) => R,
): (...args: A) => R {
  const patternCost = { states: 0, nanos: 0 };
  const run = compile({ ...context, patternCost });
  return (...args) => {
    patternCost.nanos = 0;
    return run(...args);
  };
}
