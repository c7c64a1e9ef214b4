import type { Document } from 'bson';
import mongoose, { type Connection } from 'mongoose';

type Listener = (name: string, command: Document) => void;

const listeners = new Set<Listener>();
const { createConnection } = mongoose;
const open: (uri: string, options: object) => Connection = createConnection.bind(mongoose);

/** Opens a connection whose commands the listeners get. */
function openWatched(uri?: string, options?: object): Connection {
  const connection = open(uri ?? '', { ...options, monitorCommands: true });
  const watch = () => {
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      for (const listener of listeners) {
        listener(commandName, command);
      }
    });
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
