import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { BSON } from 'bson';
import { listenOnFreePort } from './listen.ts';

const OP_MSG = 2013;
/** Message length, request id, id of the request that it answers, opcode, flags, kind of the only section. */
const HEAD_BYTES = 21;

/** Stands between a gateway and its database, and changes the answers of the database. */
export interface ReplyProxy {
  /** The connection string with this proxy in place of the server. */
  through(uri: string): string;
  stop(): Promise<void>;
}

/**
 * Starts a proxy for the database of this run.
 * @param rewrite gets each answer, and returns the answer to send
 */
export async function startReplyProxy(rewrite: (reply: BSON.Document) => BSON.Document): Promise<ReplyProxy> {
  const target = new URL(process.env.TEST_DATABASE_URI ?? '');
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    }
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    client.pipe(server);
    let waiting: Buffer = Buffer.alloc(0);
    server.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
        const message = waiting.subarray(0, waiting.readInt32LE(0));
        waiting = waiting.subarray(message.length);
        client.write(rewritten(message, rewrite));
      }
    });
  });
  const port = await listenOnFreePort(listener);
  return {
    through: (uri) => uri.replace(target.host, `127.0.0.1:${port}`),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg */
function rewritten(message: Buffer, rewrite: (reply: BSON.Document) => BSON.Document): Buffer {
  if (message.readInt32LE(12) !== OP_MSG) return message;
  const reply = BSON.deserialize(message.subarray(HEAD_BYTES));
  const changed = rewrite(reply);
  if (changed === reply) return message;
  const head = Buffer.from(message.subarray(0, HEAD_BYTES));
  const body = BSON.serialize(changed);
  head.writeInt32LE(HEAD_BYTES + body.length, 0);
  return Buffer.concat([head, body]);
}
