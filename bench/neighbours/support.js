import { once } from 'node:events';
import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

/**
 * Listens on the loopback port that PORT names (0 takes a free one) before there is anything to answer with: the servers
 * want to be told their own address.
 */
export async function listen() {
  const server = createServer();
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

/** Answers from now on, and ends on SIGTERM. The line is what the starter of this process waits for. */
export function serve(server, handler, readyLine) {
  server.on('request', handler);
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`${readyLine}\n`);
}

/** A database of that name on the MongoDB that MONGODB_URI names. */
export async function openDatabase(name) {
  const client = await new MongoClient(process.env.MONGODB_URI).connect();
  return client.db(name);
}
