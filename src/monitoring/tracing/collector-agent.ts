import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';

/** The answer to an export is a few bytes. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * The connections to the collector: one for each export, with limits on the whole of it. The exporter's own time limit starts
 * again with every byte, so a collector that answers slowly would hold connections for ever, and the exporter parses an
 * answer of up to 4 MiB, which would block the event loop.
 * @param maxMillis a connection is cut after this time
 * @returns for the option `httpAgentOptions` of the exporter
 */
export const collectorAgent =
  (maxMillis: number) =>
  (protocol: string): http.Agent => {
    const agent = protocol === 'https:' ? new https.Agent() : new http.Agent();
    const { createConnection } = agent;
    const bounded: typeof createConnection = (...options) => {
      const socket = createConnection.apply(agent, options);
      if (socket) {
        bound(socket as Socket, maxMillis);
      }
      return socket;
    };
    return Object.assign(agent, { createConnection: bounded });
  };

function bound(socket: Socket, maxMillis: number): void {
  const cut = setTimeout(() => socket.destroy(new Error('the answer took too long')), maxMillis).unref();
  socket.once('close', () => clearTimeout(cut));
  socket.on('data', () => {
    if (socket.bytesRead > MAX_ANSWER_BYTES) {
      socket.destroy(new Error('the answer is too large'));
    }
  });
}
