import type { OpenDoor } from './door.ts';
import { graphqlDoor } from './graphql-door.ts';
import { restDoor } from './rest-door.ts';

export type * from './door.ts';

/** Runs a scenario through both doors: it is written once, in terms that they share. */
export const throughEachDoor = (scenario: (openDoor: OpenDoor) => void): void =>
  describe.each<{ name: string; openDoor: OpenDoor }>([
    { name: 'REST', openDoor: restDoor },
    { name: 'GraphQL', openDoor: graphqlDoor },
  ])('through the $name door', ({ openDoor }) => scenario(openDoor));
