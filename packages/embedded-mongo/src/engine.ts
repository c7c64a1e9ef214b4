import type { Engine } from './commands/support/command.ts';
import { CursorRegistry } from './query/cursors.ts';
import { Catalog } from './storage/catalog.ts';
import { Store } from './storage/store.ts';
import { startSweeping } from './ttl.ts';
import { WireServer } from './wire/server.ts';

/** A running engine, in any thread. */
interface RunningEngine {
  readonly port: number;
  /** False while the disk is full. */
  hasRoom(): boolean;
  stop(): Promise<void>;
}

/**
 * Opens the store and listens.
 * @throws EmbeddedMongoLockedError if another engine has the folder, or an error if another process has the port
 */
export async function startEngine({ path, port }: { path: string; port: number }): Promise<RunningEngine> {
  const store = Store.open(path);
  const catalog = new Catalog(store);
  const engine: Engine = {
    store,
    catalog,
    cursors: new CursorRegistry(),
    startedAt: Date.now(),
    connections: { current: 0, totalCreated: 0 },
  };
  const server = new WireServer(engine);
  try {
    const listeningPort = await server.listen(port);
    store.lock?.announce(listeningPort);
    const stopSweeping = startSweeping(engine);
    return {
      port: listeningPort,
      hasRoom: () => store.hasRoom(),
      stop: async () => {
        stopSweeping();
        await server.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
