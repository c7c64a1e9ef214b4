/** No BSON name contains this character. */
const MARK = '\0';

/** JavaScript puts names of this form before all others of an object, in ascending order. */
const WHOLE_NUMBER = /^(0|[1-9]\d{0,9})$/;

/**
 * A field's name as decoded documents have it. JavaScript objects do not keep the order of names that are whole numbers, and
 * an assignment to "__proto__" changes the prototype. So these names have a mark in front of them, which `encode` removes.
 */
export function innerName(name: string): string {
  return WHOLE_NUMBER.test(name) || name === '__proto__' ? MARK + name : name;
}

/** A field's name as BSON and people have it. */
export function outerName(name: string): string {
  return name.startsWith(MARK) ? name.slice(1) : name;
}

/** The inner names of a dotted path, given as a string of the client or as the name of a decoded field. */
export function splitPath(path: string): string[] {
  return outerName(path).split('.').map(innerName);
}

/** A path as people have it. */
export function joinPath(parts: readonly string[]): string {
  return parts.map(outerName).join('.');
}

/** The position in an array that a part of a path means; undefined if it means none. "01" is a name, not a position. */
export function positionOf(part: string): number | undefined {
  return part.startsWith(MARK) && part !== `${MARK}__proto__` ? Number(part.slice(1)) : undefined;
}
