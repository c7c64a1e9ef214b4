import { Kind, type OperationDefinitionNode, type SelectionSetNode, type ValidationContext } from 'graphql';

/**
 * Counts each selection of a root field: under aliases, in inline fragments, in named fragments at any depth, and behind
 * `@skip` and `@include`, whatever their condition.
 *
 * The count of each fragment is computed once and kept, because twenty fragments that each spread the next one twice stand
 * for a million fields. A fragment that spreads itself does not end the count; graphql-js rejects it later.
 * @param isCounted returns true for the name of a field that counts
 */
export function countRootFields(
  { selectionSet }: OperationDefinitionNode,
  context: ValidationContext,
  isCounted: (name: string) => boolean,
): number {
  const countsByFragment = new Map<string, number>();

  const countFragment = (name: string): number => {
    const known = countsByFragment.get(name);
    if (known !== undefined) {
      return known;
    }
    countsByFragment.set(name, 0);
    const fragment = context.getFragment(name);
    const count = fragment ? countIn(fragment.selectionSet) : 0;
    countsByFragment.set(name, count);
    return count;
  };

  const countIn = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        return sum + countFragment(selection.name.value);
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        return sum + countIn(selection.selectionSet);
      }
      return sum + (isCounted(selection.name.value) ? 1 : 0);
    }, 0);

  return countIn(selectionSet);
}
