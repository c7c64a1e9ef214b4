import type { Document } from 'bson';
import { demand, refuse } from '../base/errors.ts';
import type { Matcher } from '../matching/matcher.ts';
import { encode } from '../values/bson-codec.ts';
import { innerName, joinPath } from '../values/names.ts';
import { checkViable, getPath, setPath, unsetPath } from '../values/set-path.ts';
import { MISSING } from '../values/types.ts';
import { immutableId, KEEP, type Modifier, REMOVE } from './field-change.ts';
import { inOrder, type UpdateTree } from './update-tree.ts';

/** They count as a change of the document even if no byte differs. */
const ALWAYS_MODIFY = ['$currentDate', '$rename'];
/** They change nothing where their path leads nowhere, but refuse a path through a scalar. */
const REMOVING = ['$pop', '$pull', '$pullAll'];

const TWO_UPDATES = 'two updates of one array element';

/** What the parts of a path stand for in one document. */
interface Application {
  /** An upsert creates the document. */
  isInsert: boolean;
  /** The element of an array that `$` means. */
  position: number | undefined;
  filters: ReadonlyMap<string, Matcher>;
}

/** Applies a tree to a document, in place. True if it counts as a change even if no byte differs. */
export function applyTree(
  node: UpdateTree,
  document: Document,
  application: Application,
  parts: readonly string[] = [],
): boolean {
  if (node.modifier) {
    return applyModifier(node.modifier, document, parts, application);
  }
  const children = node.isArray
    ? elementUpdates(node, getPath(document, parts), parts, application)
    : inOrder(withPosition(node, application));
  let isTouched = false;
  for (const [name, child] of children) {
    // MongoDB's own rules disagree about it: some of them read it as a position.
    const isOdd = /^0\d+$/.test(name) && Array.isArray(getPath(document, parts));
    refuse(isOdd, `'${name}' as a position`);
    isTouched = applyTree(child, document, application, [...parts, name]) || isTouched;
  }
  return isTouched;
}

/** The updates of an array by position, in their order: an element has the update whose array filter it passes. */
function elementUpdates(
  { children }: UpdateTree,
  items: unknown,
  parts: readonly string[],
  { filters }: Application,
): [string, UpdateTree][] {
  demand(Array.isArray(items), 'BadValue', `array updates need an array at '${joinPath(parts)}'`);
  return items.flatMap((item, i): [string, UpdateTree][] => {
    const matching = [...children].filter(([id]) => id === '' || filters.get(id)?.({ [id]: item }));
    refuse(matching.length > 1, TWO_UPDATES);
    return matching.map(([, child]) => [innerName(String(i)), child]);
  });
}

/** The children of a node with the position in place of `$`. */
function withPosition({ children }: UpdateTree, { position }: Application): ReadonlyMap<string, UpdateTree> {
  const positional = children.get('$');
  if (!positional) {
    return children;
  }
  demand(position !== undefined, 'BadValue', 'The positional operator did not find its match in the query');
  const name = innerName(String(position));
  refuse(children.has(name), TWO_UPDATES);
  const result = new Map(children).set(name, positional);
  result.delete('$');
  return result;
}

function applyModifier(
  { operator, change }: Modifier,
  document: Document,
  parts: readonly string[],
  { isInsert }: Application,
): boolean {
  const current = getPath(document, parts);
  if (operator === '$setOnInsert' && !isInsert) {
    return false;
  }
  if (current === MISSING && REMOVING.includes(operator)) {
    checkViable(document, parts);
    return false;
  }
  const alwaysModifies = ALWAYS_MODIFY.includes(operator) || change.alwaysModifies === true;
  const { _id: id } = document;
  const value = change(current, joinPath(parts), document);
  const isKept = value === KEEP || (!alwaysModifies && isIdentical(parts, current, value));
  if (isKept) {
    return false;
  }
  if (value === REMOVE) {
    unsetPath(document, parts);
  } else {
    checkName(parts, document, isInsert);
    setPath(document, parts, value);
  }
  if (parts[0] === '_id' && id !== MISSING) {
    throw immutableId(parts);
  }
  return alwaysModifies;
}

/** True for an update of `_id` that leaves it as it is. Elsewhere it makes no difference. */
function isIdentical(parts: readonly string[], current: unknown, value: unknown): boolean {
  return parts[0] === '_id' && current !== MISSING && encode({ current }).equals(encode({ current: value }));
}

/** An update cannot create or set a field of the document with a dollar; an upsert can, and deeper fields can have one. */
function checkName(parts: readonly string[], document: Document, isInsert: boolean): void {
  const [name = ''] = parts;
  const isNew = name.startsWith('$') && (parts.length === 1 || document[name] === MISSING);
  demand(isInsert || !isNew, 'DollarPrefixedFieldName', `the field '${name}' begins with a dollar`);
}
