import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { recordOf } from '../http/request-record.ts';
import type { GraphqlContext } from './context.ts';

/** As GraphQL has names (October 2021, section 2.1.9). */
const NAME = /^[_A-Za-z]\w*$/;
const MAX_NAME_CHARACTERS = 64;

/** Notes what a GraphQL request asks for, and what its sender calls that. */
export const recordOperation: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async ({ request, contextValue }) => {
    const record = recordOf(contextValue.req);
    const noteName = (name: string | null | undefined) => {
      if (name && NAME.test(name)) record.operationName = name.slice(0, MAX_NAME_CHARACTERS);
    };
    // What turns out not to be fit to run has a name in the request alone.
    noteName(request.operationName);
    return {
      didResolveOperation: async (context) => {
        record.operation = rootFieldOf(context);
        noteName(context.operationName);
      },
    };
  },
};

type Resolved = GraphQLRequestContextDidResolveOperation<GraphqlContext>;

/**
 * The one root field of an operation that has been found valid, `introspection` where it has none of ours, or `several`.
 * Combinations are not spelt out: what requests are grouped by must be few, whatever is sent.
 */
function rootFieldOf({ document, operation }: Resolved): string {
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
  if (operation) collect(operation.selectionSet);

  const [field, ...others] = [...fields].filter((name) => !name.startsWith('__'));
  return others.length > 0 ? 'several' : (field ?? 'introspection');
}
