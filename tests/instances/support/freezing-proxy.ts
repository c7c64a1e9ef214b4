import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { MessageReader, parseMessage } from '@auth-gateway/embedded-mongo/wire';
import { listenOnFreePort } from '../../support/listen.ts';

/** A moment in the talk of a gateway with its database: a command, and whether the database sees it. */
export interface Moment {
  /** The command's name and its collection, such as `insert accounts`. */
  command: string;
  /** `before` it has reached the database, or `after` it was done, of which nobody hears. */
  when: 'before' | 'after';
}

/** Stands between a gateway and its database. */
export interface FreezingProxy {
  /** The connection string with this proxy in place of the server. */
  through(uri: string): string;
  /**
   * Freezes the next connection on which the moment comes, for ever. From then on nothing is deleted either, so that the
   * gateway cannot undo what was begun.
   * @returns resolves when it has come
   */
  freezeAt(moment: Moment): Promise<void>;
  stop(): Promise<void>;
}

/** The sweep at the start looks for accounts as well, many at a time. */
const isOfSweep = (message: Buffer): boolean => message.includes('$in\0');

interface Plan extends Moment {
  come: () => void;
}

/** Starts a proxy before a server. */
export async function startFreezingProxy(uri: string): Promise<FreezingProxy> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  const plans: Plan[] = [];
  let mayDelete = true;

  const planFor = (command: string): Plan | undefined => {
    const index = plans.findIndex((plan) => plan.command === command);
    return index < 0 ? undefined : plans.splice(index, 1)[0];
  };

  const serve = (client: Socket) => {
    const server = connect(Number(target.port), target.hostname);
    const reader = new MessageReader();
    let isFrozen = false;
    let whenAnswered: (() => void) | undefined;
    tie(client, server, sockets);
    tie(server, client, sockets);
    client.on('data', (chunk) => {
      for (const message of reader.push(chunk)) {
        const command = nameOf(message);
        const plan = isOfSweep(message) ? undefined : planFor(command);
        if (plan) mayDelete = false;
        isFrozen ||= plan?.when === 'before' || (command.startsWith('delete ') && !mayDelete);
        if (plan?.when === 'after') whenAnswered = plan.come;
        else plan?.come();
        if (!isFrozen) server.write(message);
      }
    });
    server.on('data', (chunk) => {
      if (whenAnswered) isFrozen = true;
      whenAnswered?.();
      whenAnswered = undefined;
      if (!isFrozen) client.write(chunk);
    });
  };
  const listener = createServer(serve);
  const port = await listenOnFreePort(listener);

  return {
    through: (original) => original.replace(target.host, `127.0.0.1:${port}`),
    freezeAt: (moment) => new Promise((come) => plans.push({ ...moment, come })),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** Lets one end go with the other. */
function tie(socket: Socket, other: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => {
    sockets.delete(socket);
    other.destroy();
  });
}

/** https://www.mongodb.com/docs/manual/reference/command/ : a command names itself first, and its collection with that. */
function nameOf(message: Buffer): string {
  const [[name, collection] = []] = Object.entries(parseMessage(message).command);
  return `${name} ${collection}`;
}
