import { MongoClient } from 'mongodb';
import { ACCOUNTS_PER_TOKEN, startFilledDatabase } from '../support/large-database.js';
import { requestRate } from '../support/load.js';
import { loginRequest } from '../support/requests.js';
import { emailOf, FIRST_OF_GATEWAY, PASSWORD } from '../support/seed.js';
import { startProduction, untilIdle } from '../support/server.js';

/** The lowest cost. At cost 12, bcrypt takes nearly all of the time, and would hide that of the database. */
const COST = 4;
const CLIENTS = 12;
const FEW = 1000;
const MANY = 10_000_000;

const described = (accounts) =>
  `${accounts.toLocaleString('en')} accounts with ${(accounts / ACCOUNTS_PER_TOKEN).toLocaleString('en')} tokens`;

/** Removes the tokens of a run's logins. The tokens of the filled database have lower ids. */
async function removeNewTokens(uri) {
  const client = await new MongoClient(uri).connect();
  await client
    .db('auth_gateway')
    .collection('access_tokens')
    .deleteMany({ _id: { $gt: FIRST_OF_GATEWAY } });
  await client.close();
}

async function startSide(accounts, time) {
  const settings = { BCRYPT_COST: String(COST) };
  const database = await startFilledDatabase(accounts, settings);
  await removeNewTokens(database.uri);
  const gateway = await startProduction({ ...settings, MONGODB_URI: database.uri });
  const pids = [database.pid, gateway.pid];
  const sweptSeconds = await untilIdle(pids);
  const request = () => loginRequest(emailOf(Math.floor(Math.random() * accounts)), PASSWORD);
  const measure = () => requestRate(gateway.port, CLIENTS, request, time);
  return { measure, pids, sweptSeconds, close: () => gateway.stop().finally(database.stop) };
}

export const row = {
  what: `login among ${described(MANY)}, bcrypt cost ${COST}`,
  yardstick: `among ${described(FEW)}`,
  unit: '/s',
  async open({ quick, scale }) {
    const time = { settleMillis: quick ? 500 : 1000, millis: quick ? 2000 : 4000 };
    const few = await startSide(FEW, time);
    const many = await startSide(Math.max(2 * FEW, Math.ceil(MANY * scale)), time);
    return {
      yardstick: few.measure,
      value: many.measure,
      processes: { yardstick: few.pids, value: many.pids },
      notes: { 'seconds until the sweep at the start was over': many.sweptSeconds },
      close: () => few.close().finally(many.close),
    };
  },
};
