import { AccessTokenResolver } from '../../../src/api/graphql/resolvers/access-token.resolver.ts';
import { createSchema, type SchemaParts } from '../../../src/api/graphql/schema.ts';
import { LoginInput } from '../../../src/api/inputs/login.input.ts';
import { RevokeTokenArgs } from '../../../src/api/inputs/own-account.input.ts';
import { argsClassOf, inputClassOf } from '../../../src/patches/type-graphql.ts';

// A field has its arguments when a schema is built.
beforeAll(() => void createSchema({} as SchemaParts));

test('the metadata of type-graphql have the class of an input type', () => {
  expect(inputClassOf(LoginInput.name)).toBe(LoginInput);
  expect(inputClassOf('AccessToken')).toBeUndefined();
});

test('the metadata of type-graphql have the class of the arguments of a field', () => {
  const { revokeToken, revokeOtherTokens } = AccessTokenResolver.prototype;
  expect(argsClassOf(revokeToken.name)).toBe(RevokeTokenArgs);
  expect(argsClassOf(revokeOtherTokens.name)).toBeUndefined();
});
