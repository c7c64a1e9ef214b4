import { demand } from '../base/errors.ts';
import { MAX_LEVELS } from '../base/limits.ts';
import { compareValues } from '../values/compare.ts';
import { joinPath, outerName, positionOf, splitPath } from '../values/names.ts';
import type { Modifier } from './field-change.ts';

/**
 * The paths of an update as MongoDB merges them (UpdateObjectNode): a leaf has a modifier, an inner node has children. The
 * children of an array node are the identifiers of `$[identifier]`; the others are names, and `$`.
 */
export interface UpdateTree {
  readonly modifier?: Modifier;
  readonly isArray: boolean;
  readonly children: Map<string, UpdateTree>;
}

/** A node without children. */
export function innerNode(isArray = false): UpdateTree {
  return { isArray, children: new Map() };
}

/** The identifier in a part `$[identifier]` of a path; the empty string in `$[]`, undefined in other parts. */
export function identifierOf(part: string | undefined): string | undefined {
  return part && part.length >= 3 && part.startsWith('$[') && part.endsWith(']')
    ? part.slice(2, -1)
    : undefined;
}

/** The parts of a path that an update may change. Throws EmptyFieldName (56), Overflow (15), BadValue (2) for a misplaced `$`. */
export function updatePath(path: string): string[] {
  const parts = splitPath(path);
  const dollars = parts.filter((part) => part === '$').length;
  const isFirst = parts[0] === '$' || identifierOf(parts[0]) !== undefined;
  demand(parts.length <= MAX_LEVELS, 'Overflow', `The update path has more than ${MAX_LEVELS} parts`);
  demand(!parts.includes(''), 'EmptyFieldName', `The update path '${path}' contains an empty field name`);
  demand(dollars <= 1, 'BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`);
  demand(!isFirst, 'BadValue', `Cannot have '${parts[0]}' in the first position in path '${path}'`);
  return parts;
}

/** Adds a modifier at a path. Throws ConflictingUpdateOperators (40) if another one has this path, or a part of it. */
export function addModifier(root: UpdateTree, parts: readonly string[], modifier: Modifier): void {
  let node = root;
  for (const [i, part] of parts.entries()) {
    const name = identifierOf(part) ?? part;
    const child = node.children.get(name);
    const isLast = i === parts.length - 1;
    const isArray = !isLast && identifierOf(parts[i + 1]) !== undefined;
    const isConflict = child && (isLast || child.modifier || child.isArray !== isArray);
    demand(!isConflict, 'ConflictingUpdateOperators', `Updating '${joinPath(parts)}' creates a conflict`);
    const next = child ?? (isLast ? { ...innerNode(), modifier } : innerNode(isArray));
    node.children.set(name, next);
    node = next;
  }
}

/** Children in the order in which MongoDB applies them: by name, numbers as numbers. New fields are added in this order. */
export function inOrder(children: ReadonlyMap<string, UpdateTree>): [string, UpdateTree][] {
  return [...children].sort(([a], [b]) => {
    const [left, right] = [positionOf(a), positionOf(b)];
    return left === undefined || right === undefined
      ? compareValues(outerName(a), outerName(b))
      : left - right;
  });
}
