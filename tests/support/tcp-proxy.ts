import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './listen.ts';
import { createTestApp, type TestApp } from './test-app.ts';

/** A TCP proxy before the database, by which the database goes away without being stopped for other tests. */
export interface TcpProxy {
  /** The connection string of a MongoDB, led through the proxy. */
  through(uri: string): string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Goes on accepting, but nothing gets through in either direction: what a lost network looks like. */
  swallow(): void;
  /** Works again. */
  restore(): void;
  stop(): Promise<void>;
}

/** Starts a proxy before the first host of the run's database. */
export async function startTcpProxy(): Promise<TcpProxy> {
  const [, host = '', port = '27017'] =
    /^mongodb:\/\/(?:[^@/]*@)?([^:/,]+)(?::(\d+))?/.exec(process.env.TEST_DATABASE_URI ?? '') ?? [];
  const sockets = new Set<Socket>();
  let mode: 'working' | 'cut' | 'swallowing' = 'working';

  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (chunk) => mode === 'working' && to.write(chunk));
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const database = connect(Number(port), host);
    forward(client, database);
    forward(database, client);
  });
  const ownPort = await listenOnFreePort(server);

  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    through: (uri) => {
      const proxied = uri.replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/]+/, `$1127.0.0.1:${ownPort}`);
      // A replica set would tell its members' own addresses.
      if (proxied.includes('directConnection=')) return proxied;
      return `${proxied}${proxied.includes('?') ? '&' : '?'}directConnection=true`;
    },
    cut: () => {
      mode = 'cut';
      disconnect();
    },
    swallow: () => {
      mode = 'swallowing';
    },
    restore: () => {
      mode = 'working';
      // Whoever has been waiting for an answer has missed it.
      disconnect();
    },
    stop: async () => {
      server.close();
      disconnect();
      await once(server, 'close');
    },
  };
}

/** A test app that reaches its database through a proxy, for all tests of the block that this is called in. */
export function useProxiedApp(settings: Record<string, string> = {}): { app: TestApp; proxy: TcpProxy } {
  const used = {} as { app: TestApp; proxy: TcpProxy };
  beforeAll(async () => {
    used.proxy = await startTcpProxy();
    used.app = await createTestApp(settings, used.proxy.through);
  });
  afterAll(async () => {
    used.proxy.restore();
    await used.app.stop();
    await used.proxy.stop();
  });
  return used;
}
