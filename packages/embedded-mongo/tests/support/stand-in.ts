import { connect, createServer, type Server, type Socket } from 'node:net';

/** A server of another version, which dies of some commands: it passes all else on to the embedded engine. */
export interface StandIn {
  uri: string;
  stop(): Promise<void>;
}

/** The version of the engine in its answers. Those of the stand-ins have the same length, so that no length of BSON changes. */
const OWN_VERSION = '8.0.0';

/**
 * Starts a stand-in in front of an engine.
 * @param version that it says it has, with five characters
 * @param deadly the text in a command that ends all connections
 * @param isGone true: it takes no more connections then
 */
export async function startStandIn(
  engineUri: string,
  {
    version = OWN_VERSION,
    deadly,
    isGone = false,
  }: { version?: string; deadly?: string; isGone?: boolean } = {},
): Promise<StandIn> {
  const { port } = new URL(engineUri);
  const sockets = new Set<Socket>();
  const dropAll = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  const server: Server = createServer((client) => {
    const engine = connect(Number(port), '127.0.0.1');
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        engine.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (deadly !== undefined && bytes.includes(deadly)) {
        dropAll();
        isGone && server.close();
      } else {
        engine.write(bytes);
      }
    });
    engine.on('data', (bytes) => {
      for (let at = bytes.indexOf(OWN_VERSION); at >= 0; at = bytes.indexOf(OWN_VERSION, at + 1)) {
        bytes.write(version, at);
      }
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const ownPort = typeof address === 'object' ? address?.port : undefined;
  return {
    uri: `mongodb://127.0.0.1:${ownPort}/?directConnection=true`,
    stop: async () => {
      dropAll();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
