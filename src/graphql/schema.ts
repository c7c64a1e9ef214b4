import 'reflect-metadata';
import { GraphQLSchema } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { buildSchemaSync } from 'type-graphql';
import type { AuthService } from '../auth/auth-service.ts';
import type { PasswordService } from '../auth/password-changes/password-service.ts';
import type { DocumentUrls } from '../documents/document-urls.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { ErrorCodeType } from './error-codes.ts';
import { AccessTokenResolver } from './resolvers/access-token.resolver.ts';
import { AccountResolver } from './resolvers/account.resolver.ts';
import { AuthResolver } from './resolvers/auth.resolver.ts';
import { PasswordResolver } from './resolvers/password.resolver.ts';

export interface SchemaParts {
  auth: AuthService;
  passwords: PasswordService;
  urls: DocumentUrls;
  validator: InputValidator;
}

/** Builds the executable schema on the service. */
export function createSchema({ auth, passwords, urls, validator }: SchemaParts): GraphQLSchema {
  const resolvers = new Map<unknown, object>([
    [AuthResolver, new AuthResolver(auth, urls)],
    [AccountResolver, new AccountResolver(auth, urls)],
    [AccessTokenResolver, new AccessTokenResolver(auth)],
    [PasswordResolver, new PasswordResolver(passwords)],
  ]);
  const schema = buildSchemaSync({
    resolvers: [AuthResolver, AccountResolver, AccessTokenResolver, PasswordResolver],
    container: { get: (type) => resolvers.get(type) },
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    orphanedTypes: [],
    // TypeGraphQL's own validation is off by default, skips missing fields, and its error shows the rejected values.
    validateFn: async (argument) => {
      if (typeof argument === 'object') {
        await validator.check(argument);
      }
    },
  });
  return complete(schema);
}

/** Adds two things that TypeGraphQL cannot: descriptions of the root types, and an enum that no field uses. */
function complete(schema: GraphQLSchema): GraphQLSchema {
  const { query, mutation, types, ...config } = schema.toConfig();
  if (query) {
    query.description = "An account's view of itself. Every field needs an access token.";
  }
  if (mutation) {
    mutation.description = 'Registration, login, passwords, and the end of access tokens.';
  }
  return new GraphQLSchema({ ...config, query, mutation, types: [...types, ErrorCodeType] });
}
