import { setImmediate as turn } from 'node:timers/promises';
import type { Document } from 'bson';
import mongoose, { type Connection } from 'mongoose';

type Listener = (name: string, command: Document) => void;

const listeners = new Set<Listener>();
/** How many commands were sent whose answers have not arrived. */
let underWay = 0;
const { createConnection } = mongoose;
const open: (uri: string, options: object) => Connection = createConnection.bind(mongoose);

/** Opens a connection whose commands the listeners get. */
function openWatched(uri?: string, options?: object): Connection {
  const connection = open(uri ?? '', { ...options, monitorCommands: true });
  const watch = () => {
    const client = connection.getClient();
    client.on('commandStarted', ({ commandName, command }) => {
      underWay += 1;
      for (const listener of listeners) {
        listener(commandName, command);
      }
    });
    const end = () => {
      underWay -= 1;
    };
    client.on('commandSucceeded', end).on('commandFailed', end);
  };
  // The caller waits for the same promise, but later.
  connection.asPromise().then(watch, () => {});
  return connection;
}

/**
 * Calls a listener for each command of each connection that is opened from now on, before the driver sends it. All listeners share one
 * wrapper: the files of a worker share Mongoose, and what one leaves there, all later ones run through.
 * @returns ends it
 */
export function onEachCommand(listener: Listener): () => void {
  if (createConnection.name === openWatched.name) {
    throw new Error('an earlier test file has left its wrapper of mongoose.createConnection');
  }
  listeners.add(listener);
  mongoose.createConnection = openWatched;
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      mongoose.createConnection = createConnection;
    }
  };
}

/** How often work may run without a command before it counts as done. */
const IDLE_TURNS = 8;

/** Resolves when no command of these connections is under way, and none follows at once. */
export async function commandsEnded(): Promise<void> {
  for (let idle = 0; idle < IDLE_TURNS; idle = underWay === 0 ? idle + 1 : 0) {
    await turn();
  }
}
