import { setImmediate as afterInput } from 'node:timers/promises';

/** Items whose fields are resolved without a break. With all fields and aliases, it takes about a millisecond. */
const TURN_ITEMS = 25;

/**
 * A long list for a resolver. graphql-js would resolve the fields of all its items without a break, and no other request
 * would be served meanwhile.
 */
export function inTurns<T>(items: readonly T[]): Promise<T>[] {
  let turn = Promise.resolve();
  return items.map((item, index) => {
    if (index > 0 && index % TURN_ITEMS === 0) {
      turn = turn.then(() => afterInput());
    }
    return turn.then(() => item);
  });
}
