import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import { recordOf } from '../../http/requests/request-record.ts';
import type { GraphqlContext } from '../context.ts';
import { rootFieldsOf } from '../root-fields.ts';

/** A GraphQL name (October 2021, section 2.1.9). */
const NAME = /^[_A-Za-z]\w*$/;
const MAX_NAME_CHARACTERS = 64;

/** Adds the root field and the name of the operation to the record of the request. */
export const recordOperation: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async ({ request, contextValue }) => {
    const record = recordOf(contextValue.req);
    const noteName = (name: string | null | undefined) => {
      if (name && NAME.test(name)) {
        record.operationName = name.slice(0, MAX_NAME_CHARACTERS);
      }
    };
    // An operation that cannot run has a name only in the request.
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
 * The one root field of a valid operation, `introspection` if it has none of ours, or `several`. Combinations are not listed:
 * the number of groups in log and metrics must stay small, whatever clients send.
 */
function rootFieldOf({ document, operation }: Resolved): string {
  const fields = new Set(operation && rootFieldsOf(document, operation).map(({ name }) => name.value));
  const [field, ...others] = [...fields].filter((name) => !name.startsWith('__'));
  return others.length > 0 ? 'several' : (field ?? 'introspection');
}
