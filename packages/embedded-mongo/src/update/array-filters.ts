import type { Document } from 'bson';
import { demand, refuse } from '../base/errors.ts';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isDocument } from '../values/types.ts';

/** The array filters by their identifiers. Throws FailedToParse (9) or BadValue (2) as MongoDB does. */
export function compileArrayFilters(filters: readonly Document[], context: MatchContext) {
  const named = new Map<string, Matcher>();
  for (const filter of filters) {
    refuseExpr(filter);
    const matcher = compileFilter(filter, context);
    const [name, other] = new Set(Object.keys(filter).map((path) => splitPath(path)[0] as string));
    refuse(name?.startsWith('$'), `the array filter ${name}`);
    demand(name !== undefined && other === undefined, 'FailedToParse', 'an array filter has one name');
    demand(/^[a-z][a-zA-Z0-9]*$/.test(name), 'BadValue', `the identifier '${name}' is not alphanumeric`);
    demand(!named.has(name), 'FailedToParse', `Found multiple array filters with the field name ${name}`);
    named.set(name, matcher);
  }
  return named;
}

/** Throws QueryFeatureNotAllowed (224) for a filter with `$expr`: array filters, `$pull` and upserts do not allow it. */
export function refuseExpr(filter: Document): void {
  for (const [name, value] of Object.entries(filter)) {
    demand(name !== '$expr', 'QueryFeatureNotAllowed', '$expr is not allowed in this context');
    if (name.startsWith('$') && Array.isArray(value)) {
      value.filter(isDocument).forEach(refuseExpr);
    }
  }
}
