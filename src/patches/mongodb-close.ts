/*
 * mongodb 7.8: a close waits until no socket of the driver is in the turn of the event loop in which it ends.
 * Reason: at the close the driver sends a last command. If the database has just gone, it may still write that to a socket that is
 * ending, and then it waits for the answer for ever.
 * tests/unit/patches/mongodb-close.test.ts fails when the driver closes in every turn.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from 'mongoose';

/** Closes a connection. At the beginning of a turn, where timers are called, no socket is about to end. */
export async function closeConnection(connection: Connection): Promise<void> {
  await wait(0);
  await connection.close();
}
