import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Opens a server on loopback.
 * @param server of node:net or node:http; the caller closes it
 * @returns its port, which was free
 */
export async function listenOnFreePort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a TCP server has a port');
  return address.port;
}

/** A port that nobody listens on, as of now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreePort(server);
  server.close();
  await once(server, 'close');
  return port;
}
