/*
 * mongodb 7.8: a command that is being written ends with its connection.
 * Reason: the driver waits until the socket takes the rest of a command, or reports an error. A socket that the database has just
 * ended reports only its close, so the driver waits for ever: an exchange until its limit, a close of the driver for good. And if it
 * was the check whether the server is there, the driver never looks again. Then the gateway does not find its database until it is
 * restarted itself.
 * tests/unit/patches/mongodb-writes.test.ts fails when the driver notices that end by itself.
 */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

/** A connection of the driver. Its class is not exported. */
interface DriverConnection extends EventEmitter {
  /** Why it was closed. */
  error: Error | null;
  writeCommand(...args: unknown[]): Promise<void>;
}

/** Finds the driver of Mongoose, not another one that may be installed beside it. */
const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
const { Connection } = require('mongodb/lib/cmap/connection.js') as {
  Connection: { prototype: DriverConnection };
};
const { writeCommand } = Connection.prototype;

Connection.prototype.writeCommand = function (this: DriverConnection, ...args) {
  return new Promise((resolve, reject) => {
    const fail = () => reject(this.error);
    this.once('close', fail);
    writeCommand
      .apply(this, args)
      .finally(() => this.off('close', fail))
      .then(resolve, reject);
  });
};
