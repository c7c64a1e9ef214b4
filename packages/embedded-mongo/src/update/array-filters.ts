import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isDocument } from '../values/types.ts';

/** The array filters by their identifiers. Throws FailedToParse (9) or BadValue (2) as MongoDB does. */
export function compileArrayFilters(
  filters: readonly Document[],
  context: MatchContext,
): Map<string, Matcher> {
  const named = new Map<string, Matcher>();
  for (const filter of filters) {
    refuseExpr(filter);
    const matcher = compileFilter(filter, context);
    const name = singleNameOf(filter);
    if (named.has(name)) {
      const message = `Found multiple array filters with the same top-level field name ${name}`;
      throw mongoError('FailedToParse', message);
    }
    named.set(name, matcher);
  }
  return named;
}

function singleNameOf(filter: Document): string {
  const [name, other] = new Set(namesOf(filter));
  if (name === undefined) {
    const message = 'Cannot use an expression without a top-level field name in arrayFilters';
    throw mongoError('FailedToParse', message);
  }
  if (other !== undefined) {
    throw mongoError(
      'FailedToParse',
      `Expected a single top-level field name, found '${name}' and '${other}'`,
    );
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    const rule = 'must be an alphanumeric string beginning with a lowercase letter';
    throw mongoError('BadValue', `The top-level field name ${rule}, found '${name}'`);
  }
  return name;
}

function namesOf(filter: Document): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    const clauses = Array.isArray(value) ? value.filter(isDocument) : [];
    return name.startsWith('$') ? clauses.flatMap(namesOf) : [splitPath(name)[0] as string];
  });
}

/** Throws QueryFeatureNotAllowed (224) for a filter with `$expr`: array filters, `$pull` and upserts do not allow it. */
export function refuseExpr(filter: Document): void {
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$expr') {
      throw mongoError('QueryFeatureNotAllowed', '$expr is not allowed in this context');
    }
    if (name.startsWith('$') && Array.isArray(value)) {
      value.filter(isDocument).forEach(refuseExpr);
    }
  }
}
