import { randomInt } from 'node:crypto';
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
  if (typeof address !== 'object' || address === null) {
    throw new Error('a TCP server has a port');
  }
  return address.port;
}

/** Below the ports that the system assigns to connections and to port 0: it could assign a free one of those again. */
const [FIRST_PORT, END_PORT] = [10_240, 32_768];

/** A port that is free now, and that the system does not assign by itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
