import { once } from 'node:events';
import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

/**
 * Listens on the loopback port PORT (0 takes a free one) before the server exists, because the servers need their own
 * address as an option.
 */
export async function listen() {
  const server = createServer();
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

/** Answers from now on, and ends on SIGTERM. The parent process waits for the line. */
export function serve(server, handler, readyLine) {
  server.on('request', handler);
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`${readyLine}\n`);
}

/** Opens the database with this name on MONGODB_URI. */
export async function openDatabase(name) {
  const client = await new MongoClient(process.env.MONGODB_URI).connect();
  return client.db(name);
}
