import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import type { MatchContext } from '../matching/match-operators.ts';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import { equalValues } from '../values/compare.ts';
import { checkConflicts, concretePaths, getPath, setPath, unsetPath } from '../values/update-paths.ts';
import { display, isDocument, lookUp, MISSING } from '../values/values.ts';
import { compilePipelineUpdate } from './pipeline-update.ts';
import { type FieldChange, KEEP, REMOVE, UPDATE_OPERATORS } from './update-operators.ts';

export interface UpdateContext extends MatchContext {
  filter: Document;
  arrayFilters?: readonly Document[];
}

/** Gives a document's next version; may change the document it is given. `isInsert`: an upsert makes a new one. */
export type Updater = (document: Document, isInsert: boolean) => Document;

/**
 * An update as a function: operators, a replacement, or a pipeline.
 * Operators are this engine's own: mingo's know neither BSON's number types nor MongoDB's errors.
 * @throws CommandError as MongoDB does: FailedToParse (9), ConflictingUpdateOperators (40), ImmutableField (66)…
 */
export function compileUpdate(update: unknown, context: UpdateContext): Updater {
  const updater = compileKind(update, context);
  return (document, isInsert) => {
    const id = document._id;
    const after = updater(document, isInsert);
    if (id === MISSING || equalValues(id, after._id)) return after;
    throw mongoError(
      'ImmutableField',
      `Performing an update on the path '_id' would modify the immutable field '_id'`,
    );
  };
}

function compileKind(update: unknown, context: UpdateContext): Updater {
  if (Array.isArray(update)) {
    if (context.arrayFilters) {
      throw mongoError('FailedToParse', 'arrayFilters may not be specified for pipeline-syle updates');
    }
    return compilePipelineUpdate(update, context);
  }
  if (!isDocument(update))
    throw mongoError('FailedToParse', 'Update argument must be either an object or an array');
  const isModifier = Object.keys(update)[0]?.startsWith('$') === true;
  return isModifier ? compileModifiers(update, context) : compileReplacement(update, context);
}

function compileReplacement(replacement: Document, context: UpdateContext): Updater {
  if (context.arrayFilters)
    throw mongoError('FailedToParse', 'arrayFilters may not be specified for replacement-style updates');
  const dollar = Object.keys(replacement).find((name) => name.startsWith('$'));
  if (dollar) {
    const where = "is not allowed in the context of an update's replacement document.";
    const advice = 'Consider using an aggregation pipeline with $replaceWith.';
    throw mongoError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' ${where} ${advice}`,
    );
  }
  return (document) => {
    const id = document._id === MISSING ? replacement._id : document._id;
    if ('_id' in replacement && !equalValues(id, replacement._id)) {
      const message = `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${display(replacement._id)}`;
      throw mongoError('ImmutableField', message);
    }
    return id === MISSING ? { ...replacement } : { _id: id, ...replacement };
  };
}

interface Modifier {
  operator: string;
  path: string;
  change: FieldChange;
}

function compileModifiers(update: Document, context: UpdateContext): Updater {
  const modifiers = Object.entries(update).flatMap(([operator, fields]) =>
    compileOperator(operator, fields, context),
  );
  const renames = Object.entries(update.$rename ?? {}).map(([from, to]) => checkRename(from, to));
  checkConflicts([...modifiers.map(({ path }) => path), ...renames.flat()]);
  const resolve = positions(context, modifiers);
  // MongoDB applies the fields of all operators in order of their names (since 5.0).
  modifiers.sort((a, b) => (a.path < b.path ? -1 : 1));
  return (document, isInsert) => {
    for (const { operator, path, change } of modifiers) {
      if (operator === '$setOnInsert' && !isInsert) continue;
      for (const parts of concretePaths(document, path.split('.'), resolve(document)))
        apply(document, parts, change);
    }
    for (const [from, to] of renames) rename(document, from, to);
    return document;
  };
}

function compileOperator(operator: string, fields: unknown, context: UpdateContext): Modifier[] {
  const compile = lookUp(UPDATE_OPERATORS, operator);
  if (!compile && operator !== '$rename') {
    const hint = 'Expected a valid update modifier or pipeline-style update specified as an array';
    throw mongoError('FailedToParse', `Unknown modifier: ${operator}. ${hint}`);
  }
  if (!isDocument(fields)) {
    throw mongoError(
      'FailedToParse',
      `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${display(fields)}}`,
    );
  }
  // Renames come after everything else: see compileModifiers.
  if (!compile) return [];
  return Object.entries(fields).map(([path, operand]) => {
    checkPath(path);
    return { operator, path, change: compile(operand, path, context) };
  });
}

function checkPath(path: string): void {
  if (path.split('.').includes('')) {
    const message = `The update path '${path}' contains an empty field name, which is not allowed.`;
    throw mongoError('EmptyFieldName', message);
  }
}

function apply(document: Document, parts: readonly string[], change: FieldChange): void {
  const value = change(getPath(document, parts), parts.join('.'), document);
  if (value === REMOVE) unsetPath(document, parts);
  else if (value !== KEEP) setPath(document, parts, value);
}

function checkRename(from: string, to: unknown): [string, string] {
  if (typeof to !== 'string')
    throw mongoError('BadValue', `The 'to' field for $rename must be a string: ${from}: ${display(to)}`);
  if (`${from}.${to}`.includes('$'))
    throw mongoError('BadValue', `The source and destination fields for $rename may not be dynamic: ${from}`);
  checkPath(from);
  checkPath(to);
  return [from, to];
}

function rename(document: Document, from: string, to: string): void {
  const value = getPath(document, from.split('.'));
  if (value === MISSING) return;
  for (const path of [from, to]) {
    const parts = path.split('.');
    const isInArray = parts.some((_, i) => i > 0 && Array.isArray(getPath(document, parts.slice(0, i))));
    if (isInArray)
      throw mongoError(
        'BadValue',
        `The source and destination fields for $rename cannot be array elements: '${path}'`,
      );
  }
  unsetPath(document, from.split('.'));
  setPath(document, to.split('.'), value);
}

/** Resolves `$` by the filter, `$[]` to all elements, and `$[name]` by the array filters. */
function positions({ filter, arrayFilters = [], ...context }: UpdateContext, modifiers: readonly Modifier[]) {
  const named = new Map<string, Matcher>();
  for (const each of arrayFilters) {
    const name = arrayFilterName(each);
    if (named.has(name))
      throw mongoError(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${name}`,
      );
    if (!modifiers.some(({ path }) => path.split('.').includes(`$[${name}]`))) {
      throw mongoError(
        'FailedToParse',
        `The array filter for identifier '${name}' was not used in the update`,
      );
    }
    named.set(name, compileFilter(each, context));
  }
  return (document: Document) => (part: string, path: string, items: readonly unknown[]) => {
    const all = [...items.keys()];
    if (part === '$[]') return all;
    if (part === '$') return [matchedPosition(filter, document, path, items, context)];
    const name = part.slice(2, -1);
    const test = named.get(name);
    if (!test)
      throw mongoError(
        'BadValue',
        `No array filter found for identifier '${name}' in path '${path}.${part}'`,
      );
    return all.filter((index) => test({ [name]: items[index] }));
  };
}

function arrayFilterName(filter: Document): string {
  const [name = ''] = Object.keys(filter);
  if (!name.startsWith('$')) return name.split('.')[0] as string;
  const clauses = filter[name];
  return Array.isArray(clauses) && isDocument(clauses[0]) ? arrayFilterName(clauses[0]) : name;
}

/** The first element of the array that satisfies a condition of the filter on that array. */
function matchedPosition(
  filter: Document,
  document: Document,
  path: string,
  items: readonly unknown[],
  context: MatchContext,
): number {
  for (const [name, condition] of conditionsOn(filter, path)) {
    const test = compileFilter({ [name]: condition }, context);
    const index = items.findIndex((item) => {
      const only = structuredCopy(document);
      setPath(only, path.split('.'), [item]);
      return test(only);
    });
    if (index >= 0) return index;
  }
  throw mongoError('BadValue', 'The positional operator did not find the match needed from the query.');
}

function conditionsOn(filter: Document, path: string): [string, unknown][] {
  return Object.entries(filter).flatMap(([name, condition]) => {
    if (name === '$and') return (condition as Document[]).flatMap((each) => conditionsOn(each, path));
    return name === path || name.startsWith(`${path}.`) ? [[name, condition] as [string, unknown]] : [];
  });
}

/** Copies the containers on the way, not the values: enough to put another array in. */
function structuredCopy(value: Document): Document {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isDocument(item) ? structuredCopy(item) : item]),
  );
}
