import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { recordOf } from '../../http/request-record.ts';
import type { GraphqlContext } from '../context.ts';
import { rootFieldsOf } from '../root-fields.ts';
import type { Begun, Resolved } from './request-stages.ts';

/** A GraphQL name (October 2021, section 2.1.9). */
const NAME = /^[_A-Za-z]\w*$/;
const MAX_NAME_CHARACTERS = 64;

/** Adds the name in the request to its record. An operation that cannot run has no other. */
export const recordSentName = ({ request, contextValue }: Begun): void =>
  recordName(contextValue, request.operationName);

/** Adds the root field and the name of the operation to the record of the request. */
export function recordOperation({ contextValue, document, operation, operationName }: Resolved): void {
  recordOf(contextValue.req).operation = rootFieldOf(document, operation);
  recordName(contextValue, operationName);
}

function recordName({ req }: GraphqlContext, name: string | null | undefined): void {
  if (name && NAME.test(name)) {
    recordOf(req).operationName = name.slice(0, MAX_NAME_CHARACTERS);
  }
}

/**
 * The one root field of a valid operation, `introspection` if it has none of ours, or `several`. Combinations are not listed:
 * the number of groups in log and metrics must stay small, whatever clients send.
 */
function rootFieldOf(document: DocumentNode, operation: OperationDefinitionNode | undefined): string {
  const fields = new Set(operation && rootFieldsOf(document, operation).map(({ name }) => name.value));
  const [field, ...others] = [...fields].filter((name) => !name.startsWith('__'));
  return others.length > 0 ? 'several' : (field ?? 'introspection');
}
