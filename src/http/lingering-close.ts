import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a sender may go on sending what nobody reads any more. */
export const LINGER_MILLIS = 5_000;

/**
 * Makes a connection close in two steps where its last request has not come in whole: the answer goes out and our side is
 * closed, then what still comes is read and dropped until it ends. Node closes both sides at once; what comes in then
 * resets the connection, and with it may go the answer that the sender has not read yet (RFC 9112 section 9.6).
 * @param answerOn finds the answer that is being sent on a connection
 */
export const closeLingering =
  (answerOn: (socket: Duplex) => ServerResponse | undefined) =>
  (socket: Socket): void => {
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const req = answerOn(socket)?.req;
      if (!req || req.complete || req.destroyed) return destroySoon();
      socket.end();
      const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
      socket.once('close', () => clearTimeout(timer));
      req.once('close', destroySoon).resume();
    };
  };
