import 'reflect-metadata';
import { GraphQLSchema } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { type BuildSchemaOptions, buildSchemaSync } from 'type-graphql';
import type { AuthService } from '../../auth/auth-service.ts';
import type { Corrections } from '../../auth/corrections.ts';
import type { Emails } from '../../auth/emails/emails.ts';
import type { OwnPasskeys } from '../../auth/passkeys/own-passkeys.ts';
import type { PasskeyLogin } from '../../auth/passkeys/passkey-login.ts';
import type { Passwords } from '../../auth/passwords/passwords.ts';
import type { OwnAccount } from '../../auth/privacy/own-account.ts';
import type { ReviewService } from '../../auth/reviews/review-service.ts';
import type { OwnTokens } from '../../auth/tokens/own-tokens.ts';
import type { TwoFactor } from '../../auth/two-factor/two-factor.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { ERROR_TYPES, ErrorCodeType } from './graphql-errors.ts';
import { AccessTokenResolver } from './resolvers/access-token.resolver.ts';
import { AccountResolver } from './resolvers/account.resolver.ts';
import { AuthResolver } from './resolvers/auth.resolver.ts';
import { EmailResolver } from './resolvers/email.resolver.ts';
import { ErasureResolver } from './resolvers/erasure.resolver.ts';
import { MessageMutationResolver } from './resolvers/message-mutation.resolver.ts';
import { PasskeyResolver } from './resolvers/passkey.resolver.ts';
import { PasswordResolver } from './resolvers/password.resolver.ts';
import { ReviewResolver } from './resolvers/review.resolver.ts';
import { TwoFactorResolver } from './resolvers/two-factor.resolver.ts';

export interface SchemaParts {
  auth: AuthService;
  corrections: Corrections;
  ownTokens: OwnTokens;
  passwords: Passwords;
  emails: Emails;
  twoFactor: TwoFactor;
  ownPasskeys: OwnPasskeys;
  passkeyLogin: PasskeyLogin;
  ownAccount: OwnAccount;
  reviewService: ReviewService;
  urls: DocumentUrls;
  validator: InputValidator;
}

/** Builds the executable schema on the service. */
export function createSchema(parts: SchemaParts): GraphQLSchema {
  const { auth, corrections, ownTokens, passwords, emails, twoFactor, ownPasskeys, passkeyLogin } = parts;
  const { ownAccount, reviewService, urls, validator } = parts;
  const resolvers = [
    new AuthResolver(auth, urls),
    new AccountResolver(auth, corrections, urls),
    new AccessTokenResolver(ownTokens),
    new PasswordResolver(passwords),
    new EmailResolver(emails),
    new TwoFactorResolver(auth, twoFactor),
    new PasskeyResolver(ownPasskeys, passkeyLogin),
    new MessageMutationResolver({ auth, tokens: ownTokens, passwords }),
    new ReviewResolver(reviewService, urls),
    new ErasureResolver(ownAccount, urls),
  ];
  return complete(buildSchema(resolvers, validator));
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

/** Adds two things that TypeGraphQL cannot: descriptions of the root types, and enums that no field uses. */
function complete(schema: GraphQLSchema): GraphQLSchema {
  const { query, mutation, types, ...config } = schema.toConfig();
  if (query) {
    query.description =
      "An account's view of itself, and a reviewer's of doctors. Every field but `passkeyLoginOptions` needs an access token.";
  }
  if (mutation) {
    mutation.description =
      'Registration, login, passwords, the end of access tokens and accounts, and the review of doctors.';
  }
  return new GraphQLSchema({ ...config, query, mutation, types: [...types, ErrorCodeType, ...ERROR_TYPES] });
}
