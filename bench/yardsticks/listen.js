import { once } from 'node:events';
import { MongoClient } from 'mongodb';

/** Opens PORT on loopback and says so in one line; SIGTERM ends the process. */
export async function listen(server) {
  server.listen(process.env.PORT, '127.0.0.1');
  await once(server, 'listening');
  console.log(`ready: http://127.0.0.1:${server.address().port}`);
  process.once('SIGTERM', () => process.exit(0));
}

/** The gateway's database by the bare driver, with the gateway's write concern: what is acknowledged is on the disk. */
export async function openDatabase() {
  const client = new MongoClient(process.env.MONGODB_URI, { writeConcern: { w: 'majority', journal: true } });
  await client.connect();
  return client.db('auth_gateway');
}
