import type { Document } from 'bson';
import { createIndexes } from '../../src/stores/indexes.ts';
import { useDatabase } from '../support/database.ts';
import { type ListedQuery, listedQueries } from '../support/listed-queries.ts';

// docs/queries.md says which index serves each query of the gateway. This asks the database itself, at a size at which another
// plan would not do: the account `everything` has all records, and `nobody` has none.
const SIZE = 100_000;
const BATCH = 10_000;

const opened = useDatabase();

const NOW = Date.now();
const at = (index: number) => new Date(NOW - index);

const RECORDS: Record<string, (index: number) => Document> = {
  audit_events: (index) => ({
    _id: `event ${index}`,
    at: at(index),
    accountId: index % 2 === 0 ? 'everything' : null,
    byAccountId: index % 2 === 0 ? null : 'everything',
    emailDigest: 'everything',
  }),
  access_tokens: (index) => ({ _id: `token ${index}`, accountId: 'everything', createdAt: at(index) }),
  outgoing_mails: (index) => ({
    _id: `mail ${index}`,
    order: { to: { accountId: 'everything' } },
    createdAt: at(index),
  }),
};

beforeAll(async () => {
  await createIndexes(opened.connection);
  const { db } = opened.database;
  for (const [collection, recordOf] of Object.entries(RECORDS)) {
    for (let start = 0; start < SIZE; start += BATCH) {
      const records = Array.from({ length: BATCH }, (_, index) => recordOf(start + index));
      await db.collection(collection).insertMany(records, { ordered: false });
    }
  }
});

/** A filter with values of an account. */
function withValues(shape: unknown, account: string): unknown {
  const values: Record<string, unknown> = {
    text: account,
    date: at(SIZE / 2),
    number: SIZE / 2,
    pattern: /[^ -~]/,
  };
  if (Array.isArray(shape)) {
    return shape.map((part) => withValues(part, account));
  }
  if (typeof shape === 'object' && shape !== null) {
    return Object.fromEntries(Object.entries(shape).map(([key, part]) => [key, withValues(part, account)]));
  }
  return typeof shape === 'string' ? values[shape] : shape;
}

/** The stages of a plan: of MongoDB and of the embedded engine. */
function* stagesOf({ inputStage, inputStages = [], ...stage }: Document): Generator<Document> {
  yield stage;
  for (const inner of [inputStage, ...inputStages]) {
    yield* inner ? stagesOf(inner) : [];
  }
}

/** The indexes that the database uses. The server has a plan of its own for an `_id`. */
async function planOf({ collection, filter, sort }: ListedQuery, account: string) {
  const explain = { find: collection, filter: withValues(filter, account), sort };
  const plan = await opened.database.db.command({ explain, verbosity: 'queryPlanner' });
  const stages = [...stagesOf(plan.queryPlanner.winningPlan)];
  const used = stages.flatMap(({ stage, indexName }) => indexName ?? (stage === 'IDHACK' ? '_id_' : []));
  return { used: [...new Set(used)].sort(), isSorted: stages.some(({ stage }) => stage === 'SORT') };
}

const MODELS =
  /^(?:access_tokens|accounts|attempt_counts|audit_events|doctor_profiles|erasures|outgoing_mails|reset_tokens)$/;

/** The other collections have some records, and only `_id_`. */
const queries = [...listedQueries()].filter(([, { collection }]) => MODELS.test(collection));

describe.each(['everything', 'nobody'])('for the account %s', (account) => {
  test.each(queries)('%s has its index', async (_, query) => {
    const expected = { used: [...query.indexes].sort(), isSorted: false };
    expect(await planOf(query, account)).toEqual(expected);
  });
});

test('the list has many queries', () => {
  expect(queries.length).toBeGreaterThan(60);
});
