/*
 * better-auth on MONGODB_URI and PORT, with its defaults: scrypt, sessions of a week, no cookie cache. It prints one line with
 * its address when it listens.
 */
import { betterAuth } from 'better-auth';
import { mongodbAdapter } from 'better-auth/adapters/mongodb';
import { toNodeHandler } from 'better-auth/node';
import { bearer } from 'better-auth/plugins';
import { listen, openDatabase, serve } from './support.js';

const { server, url } = await listen();
const database = await openDatabase('neighbour_better_auth');
const auth = betterAuth({
  baseURL: url,
  secret: 'nothing but a benchmark on loopback is signed with this',
  database: mongodbAdapter(database),
  emailAndPassword: { enabled: true },
  plugins: [bearer()],
  rateLimit: { enabled: false },
  logger: { disabled: true },
  telemetry: { enabled: false },
});
// Its MongoDB adapter makes no indexes. Its guide "Optimizing for Performance" recommends these.
await database.collection('user').createIndex({ email: 1 });
await database.collection('session').createIndexes([{ key: { token: 1 } }, { key: { userId: 1 } }]);
await database.collection('account').createIndex({ userId: 1 });
serve(server, toNodeHandler(auth), `better-auth is ready: ${url}`);
