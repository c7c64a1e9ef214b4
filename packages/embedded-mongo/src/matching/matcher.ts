import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compilePredicate } from '../expressions/expressions.ts';
import { boundPatterns, type MatchContext } from '../values/match-context.ts';
import { isDocument } from '../values/types.ts';
import { compileField } from './field-conditions.ts';
import { allOf, type CompileContext, type Test, unknownOperator } from './leaf-operator.ts';
import { MatchDetails } from './match-details.ts';

/** True if a document matches. */
export type Matcher = (document: Document) => boolean;

/**
 * A filter as a function.
 * @throws CommandError BadValue (2) or another error of MongoDB's for a bad filter; NotImplemented (238) for `$where` and
 * other operators that this engine does not have
 */
export function compileFilter(filter: Document, context: MatchContext = {}): Matcher {
  const { patternCost } = context;
  return patternCost
    ? withoutDetails(compile(filter, { ...context, patternCost, compileFilter: compile }))
    : boundPatterns(context, (own) => withoutDetails(compile(filter, { ...own, compileFilter: compile })));
}

/**
 * Gives the position of the array element that made a document match, for the positional operator `$`. It is undefined if
 * the filter went through no array, if a whole array matched, and for `$ne`, `$nin`, `$not`, `$nor` and `$or`.
 * @throws CommandError NotImplemented (238) if conditions of the filter matched at different positions
 */
export function positionFinder(
  filter: Document,
  context: MatchContext = {},
): (document: Document) => number | undefined {
  return boundPatterns(context, (own) => {
    const test = compile(filter, { ...own, compileFilter: compile });
    return (document) => {
      const details = new MatchDetails();
      test(document, details);
      return details.position;
    };
  });
}

function withoutDetails(test: Test): Matcher {
  return (document) => test(document);
}

function compile(filter: Document, context: CompileContext): Test {
  return allOf(
    Object.entries(filter).map(([name, value]) =>
      name.startsWith('$') ? compileTopLevel(name, value, context) : compileField(name, value, context),
    ),
  );
}

function compileTopLevel(name: string, value: unknown, context: CompileContext): Test {
  switch (name) {
    case '$and':
      return allOf(clauses(name, value, context));
    case '$or':
      return compileOr(value, context);
    case '$nor': {
      const tests = clauses(name, value, context);
      return (target) => !tests.some((test) => test(target));
    }
    case '$expr':
      if (context.inElement) {
        throw mongoError('BadValue', '$expr can only be applied to the top-level document');
      }
      return compilePredicate(value, context) as Test;
    case '$comment':
      return () => true;
    // The fields of a DBRef are compared like others, but only the id with the collation.
    case '$id':
      return compileField(name, { $eq: value }, context);
    case '$ref':
    case '$db':
      return compileField(name, { $eq: value }, { ...context, collator: undefined });
    case '$text':
      throw mongoError('IndexNotFound', 'text index required for $text query');
    default:
      throw unknownOperator(
        name,
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function clauses(name: string, value: unknown, context: CompileContext): Test[] {
  if (!Array.isArray(value)) {
    throw mongoError('BadValue', `${name} must be an array`);
  }
  if (value.length === 0) {
    throw mongoError('BadValue', '$and/$or/$nor must be a nonempty array');
  }
  return value.map((clause) => {
    if (!isDocument(clause)) {
      throw mongoError('BadValue', '$or/$and/$nor entries need to be full objects');
    }
    return compile(clause, context);
  });
}

/** `$or` records no position. MongoDB rewrites one clause, or several on one path, to conditions that do. */
function compileOr(value: unknown, context: CompileContext): Test {
  const tests = clauses('$or', value, context);
  if (tests.length === 1) {
    return tests[0] as Test;
  }
  const isOnePath = new Set((value as Document[]).flatMap((clause) => Object.keys(clause))).size === 1;
  return (target, details) => {
    if (isOnePath && details) {
      const within = new MatchDetails();
      tests.some((test) => test(target, within));
      details.exclude(within.position);
    }
    return tests.some((test) => test(target));
  };
}
