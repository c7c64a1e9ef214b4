import { Kind, type OperationDefinitionNode, type SelectionSetNode, type ValidationContext } from 'graphql';

/**
 * Counts the root fields of an operation as often as it selects them: under aliases, in inline fragments, in named
 * fragments at any depth, and behind `@skip` and `@include`, whatever their condition.
 *
 * Each fragment is counted once and remembered, because twenty of them that spread the next one twice already stand
 * for a million fields. One that spreads itself is counted as far as it goes; it is graphql-js's to refuse.
 * @param isCounted tells by its name whether a field counts
 */
export function countRootFields(
  { selectionSet }: OperationDefinitionNode,
  context: ValidationContext,
  isCounted: (name: string) => boolean,
): number {
  const countsByFragment = new Map<string, number>();

  const countFragment = (name: string): number => {
    const known = countsByFragment.get(name);
    if (known !== undefined) return known;
    countsByFragment.set(name, 0);
    const fragment = context.getFragment(name);
    const count = fragment ? countIn(fragment.selectionSet) : 0;
    countsByFragment.set(name, count);
    return count;
  };

  const countIn = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + countFragment(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + countIn(selection.selectionSet);
      return sum + (isCounted(selection.name.value) ? 1 : 0);
    }, 0);

  return countIn(selectionSet);
}
