import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { surviving, useEngine } from './support/engine.ts';
import { outcomeOf, type SemanticCase, semanticCases } from './support/semantics.ts';
import { isOfVersion, printLeftOut, type Versions, versionOf } from './support/versions.ts';

/** The run of the table of truth against a server of another version. */
const engine = useEngine();

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
  expect(await versionOf(engine.uri)).toBe('8.0.0');
  const version = '5.0.7';
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

/** A case, a case that kills the server, and a case after it. */
const CASES = ['first', 'deadly', 'last'].map(
  (name): SemanticCase => ({
    name,
    source: 'jstests/',
    documents: [{ _id: 1, name }],
    command: { find: 'c', filter: { name } },
    answer: [],
  }),
);

/** A server that passes all to the engine, and dies of a message with the text "deadly". */
async function startMortal({ isGone }: { isGone: boolean }) {
  const server = createServer((socket) => {
    const line = connect(Number(new URL(engine.uri).port), '127.0.0.1');
    socket.on('close', () => line.destroy()).on('error', () => {});
    line.on('close', () => socket.destroy()).pipe(socket);
    socket.on('data', (bytes) => {
      if (bytes.includes('deadly')) {
        isGone && server.close();
        drop();
      } else {
        line.write(bytes);
      }
    });
    lines.add(socket);
  });
  const lines = new Set<Socket>();
  const drop = () => lines.forEach((socket) => void socket.destroy());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    drop();
  };
  return { uri: `mongodb://127.0.0.1:${port}/?directConnection=true`, stop };
}

test.each([
  {
    name: 'comes back, the cases after it run on a new connection',
    server: { isGone: false },
    waitMillis: 30_000,
    last: 'last: 1',
  },
  {
    name: 'stays away, the cases after it fail at once',
    server: { isGone: true },
    waitMillis: 100,
    last: 'the server has not come back since the case "deadly"',
  },
])(
  'a case that kills the server fails by its name, and if the server $name',
  async ({ server, waitMillis, last }) => {
    const { uri, stop } = await startMortal(server);
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
    await used.client.close();
    stop();
    expect(results).toEqual(['first: 1', 'the server has closed the connection at the case "deadly"', last]);
  },
);
