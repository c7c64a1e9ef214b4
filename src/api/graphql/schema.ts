import 'reflect-metadata';
import { GraphQLSchema } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { type BuildSchemaOptions, buildSchemaSync } from 'type-graphql';
import type { InputValidator } from '../inputs/input-validator.ts';
import { OPERATIONS, type Operation } from '../inputs/operations.ts';
import { ERROR_TYPES, ErrorCodeType } from './graphql-errors.ts';
import { markSensitive } from './limits/operation-rules.ts';
import { AccessTokenResolver } from './resolvers/access-token.resolver.ts';
import { AccountResolver } from './resolvers/account.resolver.ts';
import { AuthResolver } from './resolvers/auth.resolver.ts';
import { EmailResolver } from './resolvers/email.resolver.ts';
import { ErasureResolver } from './resolvers/erasure.resolver.ts';
import { ForgottenPasswordResolver } from './resolvers/forgotten-password.resolver.ts';
import { PasskeyResolver } from './resolvers/passkey.resolver.ts';
import { PasswordResolver } from './resolvers/password.resolver.ts';
import { ReviewResolver } from './resolvers/review.resolver.ts';
import { TwoFactorResolver } from './resolvers/two-factor.resolver.ts';

const RESOLVERS = [
  AuthResolver,
  AccountResolver,
  AccessTokenResolver,
  PasswordResolver,
  EmailResolver,
  TwoFactorResolver,
  PasskeyResolver,
  ForgottenPasswordResolver,
  ReviewResolver,
  ErasureResolver,
] as const;

type PartsOf<Resolver> = Resolver extends new (parts: infer Parts) => object ? (parts: Parts) => void : never;
/** What all resolvers need, each as its own `Parts` say. */
export type SchemaParts = (PartsOf<(typeof RESOLVERS)[number]> extends (parts: infer All) => void
  ? All
  : never) & { validator: InputValidator };

/** Builds the executable schema on the services. */
export function createSchema(parts: SchemaParts): GraphQLSchema {
  const resolvers = RESOLVERS.map((Resolver) => new Resolver(parts));
  return complete(buildSchema(resolvers, parts.validator));
}

/** Builds an executable schema on resolvers. */
export function buildSchema(resolvers: readonly object[], validator: InputValidator): GraphQLSchema {
  const byClass = new Map<unknown, object>(resolvers.map((resolver) => [resolver.constructor, resolver]));
  return buildSchemaSync({
    // The type of the option wants functions, at least one. The map has the classes of the resolvers above.
    resolvers: [...byClass.keys()] as unknown as BuildSchemaOptions['resolvers'],
    container: { get: (type) => byClass.get(type) },
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    orphanedTypes: [],
    // TypeGraphQL would validate the schema by an introspection query at every start. Apollo Server validates it, too.
    skipCheck: true,
    // TypeGraphQL's own validation is off by default, skips missing fields, and its error shows the rejected values.
    validateFn: async (argument) => {
      if (typeof argument === 'object') {
        await validator.check(argument);
      }
    },
  });
}

const isSensitive = (name: string): boolean => {
  const operations: Readonly<Record<string, Operation>> = OPERATIONS;
  return operations[name]?.isSensitive === true;
};

/** Adds what TypeGraphQL cannot: descriptions of the root types, enums that no field uses, and which fields are sensitive. */
function complete(schema: GraphQLSchema): GraphQLSchema {
  const { query, mutation, types, ...config } = schema.toConfig();
  for (const type of [query, mutation]) {
    markSensitive(type?.getFields() ?? {}, isSensitive);
  }
  if (query) {
    query.description =
      "An account's view of itself, and a reviewer's of doctors. Every field but `passkeyLoginOptions` and `invitation` needs an access token.";
  }
  if (mutation) {
    mutation.description =
      'Registration, login, passwords, the end of access tokens and accounts, and the review of doctors.';
  }
  return new GraphQLSchema({ ...config, query, mutation, types: [...types, ErrorCodeType, ...ERROR_TYPES] });
}
