import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/**
 * The fields that an operation selects at its root, including those of its fragments. The document need not be valid. Each
 * fragment is read only once: in a chain of fragments that each spread the next one twice, a million fields would result.
 */
export function rootFieldsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fields: FieldNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        fields.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        collectFragment(selection.name.value);
      }
    }
  };
  const collectFragment = (name: string): void => {
    const fragment = fragments.get(name);
    if (fragments.delete(name) && fragment) {
      collect(fragment.selectionSet);
    }
  };
  collect(selectionSet);
  return fields;
}

type VariableValues = Record<string, unknown>;

/** The value that was sent for each variable, or its default. */
export function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: VariableValues,
): VariableValues {
  const values = variableDefinitions.map(({ variable, defaultValue }) => {
    const name = variable.name.value;
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    return [name, value === undefined && defaultValue ? valueFromASTUntyped(defaultValue) : value] as const;
  });
  return Object.fromEntries(values);
}
