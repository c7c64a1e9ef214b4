import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a sender may continue to send a body that is dropped. */
export const LINGER_MILLIS = 5_000;

/**
 * Closes a connection in two steps if its last request is incomplete: first it sends the answer and closes our side, then
 * it reads and drops the rest of the request. Node alone closes both sides at once. Data that arrives after that resets the
 * connection, and the sender may lose the answer before reading it (RFC 9112 section 9.6).
 * @param answerOn finds the answer that is being sent on a connection
 */
export const closeLingering =
  (answerOn: (socket: Duplex) => ServerResponse | undefined) =>
  (socket: Socket): void => {
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const req = answerOn(socket)?.req;
      if (!req || req.complete || req.destroyed) {
        return destroySoon();
      }
      socket.end();
      const timer = setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
      socket.once('close', () => clearTimeout(timer));
      req.once('close', destroySoon).resume();
    };
  };
