import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { recordOf } from '../../http/requests/request-record.ts';
import type { GraphqlContext } from '../context.ts';
import { rootFieldsOf } from '../root-fields.ts';

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
  const fields = new Set(operation && rootFieldsOf(document, operation).map(({ name }) => name.value));
  const [field, ...others] = [...fields].filter((name) => !name.startsWith('__'));
  return others.length > 0 ? 'several' : (field ?? 'introspection');
}
