import type { ApiOf } from './api.ts';
import { graphqlApi } from './graphql-api.ts';
import { restApi } from './rest-api.ts';

export type * from './api.ts';

/** Runs a scenario through both APIs: it is written once, in terms that they share. */
export const throughEachApi = (scenario: (apiOf: ApiOf) => void): void =>
  describe.each<{ name: string; apiOf: ApiOf }>([
    { name: 'REST', apiOf: restApi },
    { name: 'GraphQL', apiOf: graphqlApi },
  ])('through the $name door', ({ apiOf }) => scenario(apiOf));
