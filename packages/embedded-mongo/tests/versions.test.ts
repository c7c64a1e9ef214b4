import { MongoClient } from 'mongodb';
import { surviving, useEngine } from './support/engine.ts';
import { outcomeOf, type SemanticCase, semanticCases } from './support/semantics.ts';
import { type StandIn, startStandIn } from './support/stand-in.ts';
import { isOfVersion, printLeftOut, type Versions, versionOf } from './support/versions.ts';

/** The run of the table of truth against a server of another version, which here is a stand-in. */
const engine = useEngine();
let standIn: StandIn | undefined;
let client: MongoClient | undefined;
afterEach(async () => {
  await client?.close();
  await standIn?.stop();
  standIn = undefined;
});

test.each<[string | undefined, Versions, boolean]>([
  ['5.0.7', {}, true],
  ['5.0.7', { since: '5.2' }, false],
  ['5.2.0', { since: '5.2' }, true],
  ['10.0.1', { since: '7.0' }, true],
  ['6.0.3', { until: '6.1' }, true],
  ['6.1.0', { until: '6.1' }, false],
  ['7.0.2', { since: '6.0', until: '7.0' }, false],
  [undefined, { since: '8.0' }, true],
  [undefined, { until: '8.0' }, false],
])('on MongoDB %s, a case with %j runs: %s', (server, each, runs) => {
  expect(isOfVersion(server, each)).toBe(runs);
});

test('a server of an older version gets the cases of its version, and the output says how many are left out', async () => {
  standIn = await startStandIn(engine.uri, { version: '5.0.7' });
  const version = await versionOf(standIn.uri);
  expect(version).toBe('5.0.7');
  const all = semanticCases().flatMap(([, cases]) => cases);
  const left = all.filter((each) => !isOfVersion(version, each));
  expect(left.length).toBeGreaterThan(30);
  expect(left.every(({ since }) => since !== undefined)).toBe(true);
  expect(all.filter((each) => !isOfVersion('8.0.0', each))).toEqual([]);
  const lines: string[] = [];
  printLeftOut('Table of truth', version, { left: left.length, all: all.length }, (line) => lines.push(line));
  expect(lines).toEqual([
    `Table of truth on MongoDB 5.0.7: left out ${left.length} of ${all.length} tests of other versions\n`,
  ]);
});

test('nothing is left out on the embedded engine, and nothing printed', async () => {
  const lines: string[] = [];
  const version = await versionOf(undefined);
  printLeftOut('Table of truth', version, { left: 0, all: 1 }, (line) => lines.push(line));
  expect(lines).toEqual([]);
});

/** A case, a case that kills the stand-in, and a case after it. */
const CASES = ['first', 'deadly', 'last'].map(
  (name): SemanticCase => ({
    name,
    source: 'jstests/',
    documents: [{ _id: 1, name }],
    command: { find: 'c', filter: { name } },
    answer: [],
  }),
);

/** The names of the cases that gave an answer, and the errors of the others. */
async function run(waitMillis: number): Promise<string[]> {
  const uri = standIn?.uri ?? '';
  const used = { uri, client: await new MongoClient(uri).connect() };
  const results: string[] = [];
  for (const each of CASES) {
    const outcome = () => outcomeOf(used.client.db('versions'), each);
    const result = await surviving(used, each.name, outcome, waitMillis).then(
      ({ answer }) => `${each.name}: ${answer?.length}`,
      (error: Error) => error.message,
    );
    results.push(result);
  }
  client = used.client;
  return results;
}

test('a case that kills the server fails by its name, and those after it run on a new connection', async () => {
  standIn = await startStandIn(engine.uri, { deadly: 'deadly' });
  expect(await run(30_000)).toEqual([
    'first: 1',
    'the server has closed the connection at the case "deadly"',
    'last: 1',
  ]);
});

test('if the server stays away, the cases after it fail at once', async () => {
  standIn = await startStandIn(engine.uri, { deadly: 'deadly', isGone: true });
  expect(await run(100)).toEqual([
    'first: 1',
    'the server has closed the connection at the case "deadly"',
    'the server has not come back since the case "deadly"',
  ]);
});
