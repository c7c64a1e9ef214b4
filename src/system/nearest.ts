/** More would suggest words that have nothing in common. */
const MAX_EDITS = 2;
/** No command, option or setting is longer, and the comparison takes quadratic time. */
const MAX_CHARACTERS = 64;

/**
 * The known word that was most likely meant.
 * @returns undefined if none is near
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_CHARACTERS) {
    return undefined;
  }
  // Of three letters, two others make another word.
  const maxEdits = Math.min(MAX_EDITS, Math.floor(word.length / 2));
  const [best] = [...known]
    // Each character more or less is an edit. Without this, 600 variables of an environment would take a third of a second.
    .filter((name) => Math.abs(name.length - word.length) <= maxEdits)
    .map((name) => ({ name, edits: editsBetween(word, name, maxEdits) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((one, other) => one.edits - other.edits);
  return best?.name;
}

/** Levenshtein's distance: how many characters to insert, remove or replace. Above `most` it may be any number above that. */
function editsBetween(one: string, other: string, most: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
    if (Math.min(...row) > most) {
      return most + 1;
    }
  }
  return row[other.length] ?? 0;
}
