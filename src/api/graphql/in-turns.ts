import { setImmediate as afterInput } from 'node:timers/promises';

/** Items whose fields are resolved without a break. With all fields of a token or an event, it takes about a millisecond. */
const TURN_ITEMS = 25;

/**
 * A long list for a resolver. graphql-js would resolve the fields of all its items without a break, and no other request
 * would be served meanwhile.
 * @param turnItems how many items have a turn; fewer if they have many fields
 */
export function inTurns<T>(items: readonly T[], turnItems = TURN_ITEMS): Promise<T>[] {
  let turn = Promise.resolve();
  return items.map((item, index) => {
    if (index > 0 && index % turnItems === 0) {
      turn = turn.then(() => afterInput());
    }
    return turn.then(() => item);
  });
}
