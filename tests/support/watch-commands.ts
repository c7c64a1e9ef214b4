import { type Command, isOfRequest } from './database-messages.ts';
import type { DatabaseProxy } from './database-proxy.ts';

/** Lets everything pass, and notes the commands that an answer waits for. */
export function watchCommands(proxy: DatabaseProxy): Command[] {
  const seen: Command[] = [];
  proxy.hold((command) => {
    if (isOfRequest(command)) {
      seen.push(command);
    }
    return false;
  });
  return seen;
}
