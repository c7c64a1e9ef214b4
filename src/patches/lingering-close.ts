/*
 * Node.js 20 to 26, `node:http`: replaces `socket.destroySoon`, which Node calls after the last response of a connection.
 * Reason: Node closes both sides at once, even if the request is not received whole. No option makes it wait.
 * tests/unit/patches/lingering-close.test.ts fails when Node waits by itself, or no longer calls the method.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes a connection in two steps if its last request is incomplete: first it sends the response and closes our side, then
 * it reads and drops the rest of the request. Node alone closes both sides at once. Data that arrives after that resets the
 * connection, and the sender may lose the response before reading it (RFC 9112 section 9.6).
 * @param responseOn finds the response that is being sent on a connection
 * @param lingerMillis how long the sender may continue to send
 */
export const closeLingering =
  (responseOn: (socket: Socket) => ServerResponse | undefined, lingerMillis: number) =>
  (socket: Socket): void => {
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const req = responseOn(socket)?.req;
      if (!req || req.complete || req.destroyed) {
        return destroySoon();
      }
      socket.end();
      const timer = setTimeout(() => socket.destroy(), lingerMillis).unref();
      socket.once('close', () => clearTimeout(timer));
      req.once('close', destroySoon).resume();
    };
  };
