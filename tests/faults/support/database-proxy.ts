import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnFreePort } from '../../support/listen.ts';

/** What happens when an insert into the collection comes by. */
export type Fault =
  /** The connection is cut before the database has seen it; later ones are let through. */
  | 'cut before'
  /** The database does it, but nobody hears of it. */
  | 'cut after'
  /** The database is gone from then on, until {@link DatabaseProxy.repair}. */
  | 'gone'
  /** Nothing comes back any more, and nothing goes through. */
  | 'frozen';

/** Stands between a gateway and its database, and breaks the connection where a test says. */
export interface DatabaseProxy {
  /** The connection string with this proxy in place of the server. */
  through(uri: string): string;
  /** @returns resolves when the fault has happened */
  breakAtInsertInto(collection: string, fault: Fault): Promise<void>;
  repair(): void;
  stop(): Promise<void>;
}

interface Plan {
  fault: Fault;
  collection: string;
  happened: () => void;
}

/** Starts a proxy for the database of this run. */
export async function startDatabaseProxy(): Promise<DatabaseProxy> {
  const target = new URL(process.env.TEST_DATABASE_URI ?? '');
  const sockets = new Set<Socket>();
  let plan: Plan | undefined;
  let isGone = false;

  const serve = (client: Socket) => {
    if (isGone) return void client.destroy();
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    const cut = () => [client, server].map((socket) => socket.destroy());
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    server.pipe(client);
    client.on('data', (chunk) => {
      if (!(plan && isInsertInto(plan.collection, chunk))) return void server.write(chunk);
      const { fault, happened } = plan;
      plan = undefined;
      if (fault === 'cut after') {
        server.unpipe(client);
        server.once('data', () => {
          cut();
          happened();
        });
        server.resume();
        return void server.write(chunk);
      }
      if (fault === 'cut before') cut();
      if (fault === 'gone') {
        isGone = true;
        for (const socket of sockets) socket.destroy();
      }
      happened();
    });
  };
  const listener = createServer(serve);
  const port = await listenOnFreePort(listener);

  return {
    through: (uri) => uri.replace(target.host, `127.0.0.1:${port}`),
    breakAtInsertInto: (collection, fault) =>
      new Promise((happened) => {
        plan = { fault, collection, happened };
      }),
    repair: () => {
      isGone = false;
    },
    stop: () => close(listener, sockets),
  };
}

/** A command names itself first and its collection second: https://www.mongodb.com/docs/manual/reference/command/insert/ */
const isInsertInto = (collection: string, chunk: Buffer): boolean =>
  chunk.includes('insert\0') && chunk.includes(`${collection}\0`);

async function close(listener: Server, sockets: Set<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  listener.close();
  await once(listener, 'close');
}
