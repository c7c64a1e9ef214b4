import 'reflect-metadata';
import type { RequestHandler } from 'express';
import { GraphQLEnumType, GraphQLSchema } from 'graphql';
import type { OperatorChanges } from '../../../auth/operators/operator-changes.ts';
import type { OperatorInvitations } from '../../../auth/operators/operator-invitations.ts';
import type { OperatorQueries } from '../../../auth/operators/operator-queries.ts';
import type { Logger } from '../../../system/log.ts';
import type { InputValidator } from '../../inputs/input-validator.ts';
import { type GraphqlApi, openGraphqlServer } from '../graphql-api.ts';
import { ERROR_TYPES, ErrorCodeType } from '../graphql-errors.ts';
import { buildSchema } from '../schema.ts';
import { GuardedActResolver, OperatorChangeResolver } from './change.resolver.ts';
import { InvitationResolver } from './invitation.resolver.ts';
import { OperatorReadResolver } from './read.resolver.ts';
import { type OperatorSessionParts, OperatorSessionResolver } from './session.resolver.ts';

export interface OperatorSchemaParts extends OperatorSessionParts {
  operatorQueries: OperatorQueries;
  operatorChanges: OperatorChanges;
  operatorInvitations: OperatorInvitations;
  validator: InputValidator;
}

interface OperatorApiParts extends OperatorSchemaParts {
  introspection: boolean;
  jsonBody: RequestHandler;
  log: Logger;
}

/** Opens the GraphQL API of operators, beside that of everybody else: the same limits and hooks, and another schema. */
export function openOperatorApi(parts: OperatorApiParts): Promise<GraphqlApi> {
  const schema = createOperatorSchema(parts);
  return openGraphqlServer({ ...parts, schema, federation: false, multipart: undefined });
}

/** Builds the schema of the operators' API on its services. */
export function createOperatorSchema(parts: OperatorSchemaParts): GraphQLSchema {
  const { operatorQueries, operatorChanges, operatorInvitations, validator } = parts;
  const resolvers = [
    new OperatorSessionResolver(parts),
    new OperatorReadResolver(operatorQueries),
    new OperatorChangeResolver(operatorChanges),
    new GuardedActResolver(operatorChanges),
    new InvitationResolver(operatorInvitations),
  ];
  const { query, mutation, types, ...config } = buildSchema(resolvers, validator).toConfig();
  if (query) {
    query.description =
      'What operators read. Every field needs the access token of an operator, `operator` also of a reviewer.';
  }
  if (mutation) {
    mutation.description = 'Set-up, login and logout of operators and reviewers, and what operators change.';
  }
  return new GraphQLSchema({ ...config, query, mutation, types: [...types, errorCodes(), ...ERROR_TYPES] });
}

/** The codes of the other API, and one that only this API has. */
function errorCodes(): GraphQLEnumType {
  const { values, ...config } = ErrorCodeType.toConfig();
  const description = 'Somebody else has changed the account since it was read. Read it again.';
  return new GraphQLEnumType({ ...config, values: { ...values, CONFLICT: { description } } });
}
