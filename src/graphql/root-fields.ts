import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * The names of the root fields that an operation selects, in fragments too, each once. The document need not be valid.
 */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fields = new Set<string>();
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);

  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else collectFragment(selection.name.value);
    }
  };
  // Each once: one that spreads the next twice, and so on, would otherwise stand for a million.
  const collectFragment = (name: string): void => {
    const fragment = fragments.get(name);
    if (fragments.delete(name) && fragment) collect(fragment.selectionSet);
  };
  collect(operation.selectionSet);
  return fields;
}
