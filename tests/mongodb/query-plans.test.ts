import type { Db } from 'mongodb';
import {
  ACTS,
  type Act,
  type LargeGateway,
  NEEDED_INDEXES,
  startLargeGateway,
  withoutIndex,
} from '../support/large-gateway.ts';
import { type ProfiledQuery, problemsOf } from '../support/query-plans.ts';
import { useSmtpServer } from '../support/smtp-server.ts';

// Every query that a gateway with 100,000 records sends has its index on a real server: its profiler says what each has examined.
// tests/faults/query-plans.test.ts asks the embedded engine about the same acts.
const smtp = useSmtpServer();
const PROFILE = 'system.profile';
/** MongoDB would keep the last megabyte. */
const PROFILE_BYTES = 512 * 1024 * 1024;

let gateway: LargeGateway;
let db: Db;
beforeAll(async () => {
  gateway = await startLargeGateway(smtp.url);
  ({ db } = gateway.app.database);
  await db.createCollection(PROFILE, { capped: true, size: PROFILE_BYTES });
  await db.command({ profile: 2 });
}, 600_000);
afterAll(async () => {
  // As long as the profiler runs, its collection cannot be dropped.
  await db.command({ profile: 0 });
  await gateway.app.stop();
});

/** Does something, and returns what the profiler has recorded of the gateway and its commands. */
async function queriesOf(act: Act): Promise<ProfiledQuery[]> {
  // By the clock of the server, which writes the entries.
  const { localTime } = await db.command({ hello: 1 });
  await act(gateway);
  const ofGateway = { appName: 'auth-gateway', ts: { $gte: localTime } };
  return db.collection(PROFILE).find<ProfiledQuery & { _id: never }>(ofGateway).toArray();
}

test('without its index, a query is found', async () => {
  for (const [collection, index, filter] of NEEDED_INDEXES) {
    const queries = await withoutIndex(gateway, collection, index, () => queriesOf(ACTS.export));
    expect(problemsOf(queries).join('\n')).toContain(`${collection} | ${filter}`);
  }
}, 600_000);

test('all queries of a gateway and its operators have their index', async () => {
  const problems: Record<string, string[]> = {};
  for (const [name, act] of Object.entries(ACTS)) {
    const queries = await queriesOf(act);
    expect({ name, areMany: queries.length > 10 }).toEqual({ name, areMany: true });
    problems[name] = problemsOf(queries);
  }
  expect(problems).toEqual(Object.fromEntries(Object.keys(ACTS).map((name) => [name, []])));
}, 600_000);
