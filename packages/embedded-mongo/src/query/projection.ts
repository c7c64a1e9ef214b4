import type { Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { compileExpression } from '../expressions/expressions.ts';
import { compileFilter } from '../matching/matcher.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { getPath, setPath, unsetPath } from '../values/set-path.ts';
import { isDocument, MISSING } from '../values/types.ts';

/** Gives the projected document. */
export type Projector = (document: Document) => Document;

/** The fields to keep or to leave out, as a tree of names; true is a whole field. */
type Tree = Map<string, Tree | true>;

/**
 * A projection as a function; undefined for none.
 * @param kind in a `stage`, $slice and $elemMatch are expressions; in a `find`, they select elements of the field itself
 * @throws CommandError as MongoDB does for a mix of inclusion and exclusion (31253, 31254)
 */
export function compileProjection(
  projection: Document | undefined,
  context: MatchContext,
  kind: 'find' | 'stage' = 'find',
): Projector | undefined {
  const entries = Object.entries(projection ?? {});
  if (entries.length === 0) {
    return undefined;
  }
  if (entries.some(([path]) => splitPath(path).includes('$'))) {
    throw mongoError('NotImplemented', 'positional projection is not implemented by the embedded engine');
  }
  const flags = entries.filter(([, value]) => isFlag(value));
  const arrays = kind === 'stage' ? [] : entries.filter(([, value]) => isArrayOperator(value));
  const computed = entries.filter((entry) => !flags.includes(entry) && !arrays.includes(entry));
  const includes = isInclusion(flags, arrays, computed);
  const tree = treeOf(includes, flags, arrays);
  const steps = [
    ...arrays.map(([path, operator]) => arrayStep(path, operator as Document, context)),
    ...computed.map(([path, expression]) => computedStep(path, expression, context)),
  ];
  return (document) => {
    const result = select(document, tree, includes) as Document;
    for (const step of steps) {
      step(result, document);
    }
    return result;
  };
}

type Entry = [path: string, value: unknown];

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || isNumeric(value);
}

function isOn(value: unknown): boolean {
  return value === true || (typeof value !== 'boolean' && Number(value) !== 0);
}

function isArrayOperator(value: unknown): boolean {
  if (!isDocument(value)) {
    return false;
  }
  return '$elemMatch' in value || ('$slice' in value && [value.$slice].flat().every(isNumeric));
}

function isInclusion(flags: readonly Entry[], arrays: readonly Entry[], computed: readonly Entry[]): boolean {
  const others = flags.filter(([path]) => path !== '_id');
  const [included, excluded] = [others.find(([, on]) => isOn(on)), others.find(([, on]) => !isOn(on))];
  if (included && excluded) {
    const includedFirst = others[0] === included;
    const [kind, path, other] = includedFirst
      ? ['exclusion', excluded[0], 'inclusion']
      : ['inclusion', included[0], 'exclusion'];
    throw locationError(
      includedFirst ? 31254 : 31253,
      `Cannot do ${kind} on field ${path} in ${other} projection`,
    );
  }
  if (included || excluded) {
    return included !== undefined;
  }
  if (computed.length > 0) {
    return true;
  }
  if (arrays.some(([, operator]) => '$elemMatch' in (operator as Document))) {
    return true;
  }
  return flags.some(([path, on]) => path === '_id' && isOn(on));
}

function treeOf(includes: boolean, flags: readonly Entry[], arrays: readonly Entry[]): Tree {
  const tree: Tree = new Map();
  const listed = flags.filter(([, on]) => isOn(on) === includes).map(([path]) => path);
  if (includes) {
    listed.push(...arrays.map(([path]) => path));
  }
  if (includes && !flags.some(([path]) => path === '_id')) {
    listed.push('_id');
  }
  for (const path of listed) {
    addPath(tree, path);
  }
  return tree;
}

function addPath(tree: Tree, path: string): void {
  const parts = splitPath(path);
  const last = parts.pop() as string;
  let node = tree;
  for (const part of parts) {
    const next = node.get(part) ?? new Map();
    if (next === true) {
      throw locationError(31249, `Path collision at ${path}`);
    }
    node.set(part, next);
    node = next;
  }
  if (node.has(last)) {
    throw locationError(31250, `Path collision at ${path}`);
  }
  node.set(last, true);
}

function select(value: unknown, tree: Tree, includes: boolean): unknown {
  if (Array.isArray(value)) {
    const kept = includes
      ? value.filter((item) => typeof item === 'object' && (isDocument(item) || Array.isArray(item)))
      : value;
    return kept.map((item) => select(item, tree, includes));
  }
  if (!isDocument(value)) {
    return value;
  }
  const result: Document = {};
  for (const [name, item] of Object.entries(value)) {
    const node = tree.get(name);
    if (node === true ? includes : node === undefined && !includes) {
      setPath(result, [name], item);
    } else if (node instanceof Map && (!includes || isDocument(item) || Array.isArray(item))) {
      setPath(result, [name], select(item, node, includes));
    }
  }
  return result;
}

function computedStep(path: string, expression: unknown, context: MatchContext) {
  const evaluate = compileExpression(expression, context);
  return (result: Document, document: Document): void => {
    const value = evaluate(document);
    if (value !== MISSING) {
      setPath(result, splitPath(path), value);
    }
  };
}

function arrayStep(path: string, operator: Document, context: MatchContext) {
  const parts = splitPath(path);
  const change = '$slice' in operator ? slice(operator.$slice) : firstMatch(operator.$elemMatch, context);
  return (result: Document, document: Document): void => {
    const items = getPath(document, parts);
    const value = Array.isArray(items) ? change(items) : '$slice' in operator ? items : MISSING;
    if (value === MISSING) {
      unsetPath(result, parts);
    } else {
      setPath(result, parts, value);
    }
  };
}

function slice(operand: unknown): (items: readonly unknown[]) => unknown {
  const [skip, count] = Array.isArray(operand) ? operand.map(Number) : [undefined, Number(operand)];
  if (count === undefined || !Number.isInteger(count) || (skip !== undefined && count <= 0)) {
    throw locationError(28667, 'Invalid $slice syntax: expected a number or an array of [skip, limit]');
  }
  return (items) => {
    if (skip === undefined) {
      return count < 0 ? items.slice(count) : items.slice(0, count);
    }
    const from = skip < 0 ? Math.max(items.length + skip, 0) : skip;
    return items.slice(from, from + count);
  };
}

function firstMatch(operand: unknown, context: MatchContext): (items: readonly unknown[]) => unknown {
  const test = compileFilter({ items: { $elemMatch: operand } }, context);
  return (items) => {
    const found = items.find((item) => test({ items: [item] }));
    return found === undefined ? MISSING : [found];
  };
}
