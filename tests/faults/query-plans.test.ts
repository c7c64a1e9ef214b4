import type { Db } from 'mongodb';
import { explained } from '../support/explained-queries.ts';
import {
  ACTS,
  type Act,
  type LargeGateway,
  NEEDED_INDEXES,
  startLargeGateway,
  withoutIndex,
} from '../support/large-gateway.ts';
import { type ProfiledQuery, problemsOf } from '../support/query-plans.ts';
import { shapesOf, textOf } from '../support/query-shapes.ts';
import { onEachCommand } from '../support/sent-commands.ts';
import { useSmtpServer } from '../support/smtp-server.ts';

// Every query that a gateway with 100,000 records sends has its index. tests/mongodb/query-plans.test.ts asks the profiler of a
// real server about the same acts.
const smtp = useSmtpServer();

let gateway: LargeGateway;
let db: Db | undefined;
let asked: Promise<ProfiledQuery[]>[] = [];
/** How often a query of each kind was sent in an act. */
const counts = new Map<string, number>();
/** A sweep reads hundreds of pages: these are enough of a kind. */
const MOST_EXPLAINED = 30;

const stopWatching = onEachCommand((name, command) => {
  // As soon as it is sent: afterwards the documents may be gone.
  if (db && (command.$db === db.databaseName || name === 'bulkWrite')) {
    const kind = `${name} ${shapesOf(name, command).map(textOf)}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= MOST_EXPLAINED) {
      const entries = explained(db, name, command);
      // Awaited after the act: until then a failure is no unhandled rejection.
      entries.catch(() => {});
      asked.push(entries);
    }
  }
});
beforeAll(async () => {
  gateway = await startLargeGateway(smtp.url);
  ({ db } = gateway.app.database);
});
afterAll(async () => {
  stopWatching();
  db = undefined;
  await gateway.app.stop();
});

/** Does something, and returns what the engine examines for the queries of that. */
async function queriesOf(act: Act): Promise<ProfiledQuery[]> {
  asked = [];
  counts.clear();
  await act(gateway);
  return (await Promise.all(asked)).flat();
}

test.each(NEEDED_INDEXES)('without its index, a query of %s is found', async (collection, index, filter) => {
  const queries = await withoutIndex(gateway, collection, index, () => queriesOf(ACTS.export));
  expect(problemsOf(queries).join('\n')).toContain(`${collection} | ${filter}`);
});

test.each(Object.entries(ACTS))('the queries of the act %s have their index', async (_, act) => {
  const queries = await queriesOf(act);
  expect(queries.length).toBeGreaterThan(10);
  expect(problemsOf(queries)).toEqual([]);
});
