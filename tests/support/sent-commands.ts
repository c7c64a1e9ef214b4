import type { Document } from 'bson';
import mongoose, { type Connection } from 'mongoose';

/**
 * Calls a listener for each command of each connection that is opened from now on, before the driver sends it.
 * @returns ends it for connections that are opened later
 */
export function onEachCommand(listener: (name: string, command: Document) => void): () => void {
  const { createConnection } = mongoose;
  const open: (uri: string, options: object) => Connection = createConnection.bind(mongoose);
  mongoose.createConnection = (uri?: string, options?: object) => {
    const connection = open(uri ?? '', { ...options, monitorCommands: true });
    const watch = () => {
      connection
        .getClient()
        .on('commandStarted', ({ commandName, command }) => listener(commandName, command));
    };
    // Whoever opens a connection waits for the same promise, but later.
    connection.asPromise().then(watch, () => {});
    return connection;
  };
  return () => {
    mongoose.createConnection = createConnection;
  };
}
