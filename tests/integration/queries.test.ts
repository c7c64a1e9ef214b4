import type { Document } from 'bson';
import { createIndexes } from '../../src/stores/indexes.ts';
import { useDatabase } from '../support/database.ts';
import { explained, stagesOf } from '../support/explained-queries.ts';
import {
  IS_WRITING,
  type ListedQuery,
  lineOf,
  listedQueries,
  writeIndexes,
} from '../support/listed-queries.ts';
import { type ProfiledQuery, problemsOf } from '../support/query-plans.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';

storesWrongRecords();

// tests/support/queries.txt says which index serves each query of the gateway. This asks the database itself, at a size at which another
// plan would not do: the account `everything` has all records, and `nobody` has none.
const SIZE = 20_000;
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
  if (IS_WRITING) {
    // For the next run: this one has read the list.
    writeIndexes(await chosenIndexes());
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

/** The indexes that the database uses. The server has a plan of its own for an `_id`. */
async function planOf({ collection, filter, sort }: ListedQuery, account: string) {
  const explain = {
    find: collection,
    filter: withValues(JSON.parse(filter), account),
    sort: JSON.parse(sort),
  };
  const plan = await opened.database.db.command({ explain, verbosity: 'queryPlanner' });
  const stages = [...stagesOf(plan.queryPlanner.winningPlan)];
  const used = stages.flatMap(({ stage, indexName }) => indexName ?? (stage === 'IDHACK' ? '_id_' : []));
  return { used: [...new Set(used)].sort(), isSorted: stages.some(({ stage }) => stage === 'SORT') };
}

const MODELS =
  /^(?:access_tokens|accounts|attempt_counts|audit_events|challenges|doctor_profiles|email_proofs|erasures|factors|invitations|operator_acts|outgoing_mails|passkeys|reset_tokens)$/;

/** The other collections have some records, and only `_id_`. */
const queries = [...listedQueries()].filter(([, { collection }]) => MODELS.test(collection));

/** The lines that WRITE_QUERIES=on has added, with the indexes that the database has chosen. */
async function chosenIndexes(): Promise<Map<string, string>> {
  const added = queries.filter(
    ([
      ,
      {
        indexes: [first],
      },
    ]) => first === '?',
  );
  const lines = added.map(async ([, query]): Promise<[string, string]> => {
    const { used } = await planOf(query, 'everything');
    return [lineOf(query), lineOf(query, used.length > 0 ? used : ['?'])];
  });
  return new Map(await Promise.all(lines));
}

describe.each(['everything', 'nobody'])('for the account %s', (account) => {
  test.each(queries)('%s has its index', async (_, query) => {
    const expected = { used: [...query.indexes].sort(), isSorted: false };
    expect(await planOf(query, account)).toEqual(expected);
  });
});

test('the list has many queries', () => {
  expect(queries.length).toBeGreaterThan(60);
});

// The fields of these entries are those of MongoDB's own tests of its profiler: jstests/core, profile_find.js, profile_update.js,
// profile_delete.js, profile_findandmodify.js, profile_getmore.js, profile_aggregate.js, and bulk_write_profile.js.
describe('the judge of profiled queries', () => {
  const token = (command: Document, others: Partial<ProfiledQuery>): ProfiledQuery => ({
    op: 'query',
    ns: 'auth_gateway.access_tokens',
    command,
    planSummary: 'IXSCAN { accountId: 1, createdAt: -1, _id: -1 }',
    ...others,
  });
  const ofAda = { accountId: 'ada' };
  const found = { find: 'access_tokens', filter: ofAda, sort: { createdAt: -1, _id: -1 } };
  const byId = { find: 'access_tokens', filter: { _id: 'x' } };
  const counting = {
    aggregate: 'access_tokens',
    pipeline: [{ $match: ofAda }, { $group: { _id: 1, n: { $sum: 1 } } }],
  };
  const readingAll = { aggregate: 'access_tokens', pipeline: [{ $match: { _id: { $regex: '^[1-9]' } } }] };
  const examined = (docsExamined: number, nreturned: number) => ({ docsExamined, nreturned });

  test.each<[what: string, command: Document, others: Partial<ProfiledQuery>]>([
    ['a read of all that it finds', found, examined(5_000, 5_000)],
    ['ten times what it finds, and 100', found, examined(150, 5)],
    ['a look-up by _id', byId, { ...examined(1, 1), planSummary: 'IDHACK' }],
    ['one of 8.0', byId, { ...examined(1, 1), planSummary: 'EXPRESS_IXSCAN { _id: 1 }' }],
    ['a deletion of many', { q: ofAda, limit: 0 }, { op: 'remove', docsExamined: 500, ndeleted: 500 }],
    [
      'an update of many',
      { q: ofAda, u: {}, multi: true },
      { op: 'update', docsExamined: 500, nMatched: 500 },
    ],
    ['a covered count', counting, { ...examined(0, 1), op: 'command' }],
    ['a small sort', found, { ...examined(90, 90), hasSortStage: true }],
    [
      'a read of all on purpose',
      readingAll,
      { ...examined(30_000, 1), op: 'command', planSummary: 'COLLSCAN', hasSortStage: true },
    ],
  ])('accepts %s', (_, command, others) => {
    expect(problemsOf([token(command, others)])).toEqual([]);
  });

  test.each<ProfiledQuery>([
    { op: 'command', ns: 'auth_gateway.$cmd', command: { ping: 1 } },
    { op: 'insert', ns: 'auth_gateway.access_tokens', command: { insert: 'access_tokens', ordered: true } },
  ])('accepts what has no plan: $command', (entry) => {
    expect(problemsOf([entry])).toEqual([]);
  });

  const q = { name: 'x' };
  const scan = { planSummary: 'COLLSCAN', docsExamined: 9 };
  const asCommand = { ...scan, op: 'command' };
  const original = { find: 'access_tokens', filter: q };
  const branches = { find: 'access_tokens', filter: { $or: [ofAda, q] } };

  test.each<[what: string, command: Document, others: Partial<ProfiledQuery>, problem: RegExp]>([
    ['a scan that finds all', found, { ...scan, ...examined(50, 50) }, /^no index .* examined 50 for 50/],
    ['one more than it may', found, examined(151, 5), /^the wrong index .* examined 151 for 5/],
    ['a find of nothing', found, examined(30_000, 0), /^the wrong index .*\{"accountId":"text"\}/],
    [
      'an update',
      { q, u: {}, multi: false },
      { ...scan, op: 'update', nMatched: 1 },
      /^no index .*tokens \| \{"name":"text"\}/,
    ],
    [
      'a deletion',
      { q, limit: 0 },
      { op: 'remove', docsExamined: 5_000, ndeleted: 3 },
      /^the wrong index .*for 3\).*"name"/,
    ],
    [
      'a statement of a bulkWrite',
      { delete: 0, filter: q, multi: false },
      { ...scan, op: 'bulkWrite', ndeleted: 1 },
      /^no index .*"name"/,
    ],
    ['a findAndModify', { findAndModify: 'access_tokens', query: q }, asCommand, /^no index .*"name"/],
    ['one in lower case', { findandmodify: 'access_tokens', query: q }, asCommand, /^no index .*"name"/],
    [
      'a further batch',
      { getMore: 7, collection: 'access_tokens' },
      { ...scan, op: 'getmore', originatingCommand: original },
      /^no index .*"name"/,
    ],
    ['a count', { count: 'access_tokens', query: q }, asCommand, /^no index .*"name"/],
    ['a distinct', { distinct: 'access_tokens', key: 'name', query: q }, asCommand, /^no index .*"name"/],
    ['an aggregation', counting, { ...examined(30_000, 1), op: 'command' }, /^the wrong index .*"accountId"/],
    [
      'one branch of an $or',
      branches,
      { ...scan, planSummary: 'IXSCAN { accountId: 1 }, COLLSCAN' },
      /^no index/,
    ],
    ['a sort in memory', found, { ...examined(5_000, 5_000), hasSortStage: true }, /^a sort in memory/],
    ['a command that was cut off', { $truncated: '{ find: "access_tokens"' }, scan, /^no index .*truncated/],
  ])('refuses %s', (_, command, others, problem) => {
    expect(problemsOf([token(command, others)])).toEqual([expect.stringMatching(problem)]);
  });

  test('names each kind of query once, with its worst figures', () => {
    const entries = [7, 9, 8].map((docsExamined) => token(found, { planSummary: 'COLLSCAN', docsExamined }));
    expect(problemsOf(entries)).toEqual([expect.stringContaining('examined 9 for 0')]);
  });
});

describe('what is explained instead of profiled', () => {
  const q = { name: 'x' };
  const ofEvents = (command: Document) => ({ ...command, $db: 'any' });
  const join = { from: 'outgoing_mails', localField: '_id', foreignField: 'claim', as: 'mails' };
  test.each<[string, Document]>([
    ['find', { find: 'audit_events', filter: q, limit: 1 }],
    ['count', { count: 'audit_events', query: q }],
    ['distinct', { distinct: 'audit_events', key: 'at', query: q }],
    ['findAndModify', { findAndModify: 'audit_events', query: q, remove: true }],
    ['update', { update: 'audit_events', updates: [{ q, u: { $set: { a: 1 } } }] }],
    ['delete', { delete: 'audit_events', deletes: [{ q, limit: 0 }] }],
    ['bulkWrite', { bulkWrite: 1, ops: [{ delete: 0, filter: q }], nsInfo: [{ ns: 'any.audit_events' }] }],
    ['aggregate', { aggregate: 'audit_events', pipeline: [{ $match: q }, { $sort: { at: 1 } }] }],
    [
      'aggregate',
      { aggregate: 'audit_events', pipeline: [{ $match: { _id: 'event 1' } }, { $lookup: join }] },
    ],
  ])('a %s without an index is found', async (name, command) => {
    const problems = problemsOf(await explained(opened.database.db, name, ofEvents(command)));
    expect(problems).toEqual([expect.stringMatching(/^(?:no|the wrong) index .* examined 20000 /)]);
  });

  test('a sort in memory is found', async () => {
    const command = { find: 'access_tokens', filter: { accountId: 'everything' }, sort: { name: 1 } };
    const problems = problemsOf(await explained(opened.database.db, 'find', command));
    expect(problems).toEqual([expect.stringMatching(/^a sort in memory .* examined 20000 for 20000/)]);
  });

  test('a command that nobody has thought of is refused', async () => {
    await expect(explained(opened.database.db, 'mapReduce', {})).rejects.toThrow('mapReduce is not known');
    expect(await explained(opened.database.db, 'insert', { insert: 'audit_events' })).toEqual([]);
  });
});
