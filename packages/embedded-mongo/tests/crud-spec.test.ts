import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { useEngine } from './support/engine.ts';
import { isRunnable, isSupported, runSpecTest, type SpecFile } from './support/unified-spec.ts';

/**
 * MongoDB's public CRUD specification tests. Their licence (CC BY-NC-SA 3.0) keeps them out of this repository: by
 * default they lie in a folder beside it.
 */
const FOLDER =
  process.env.MONGO_CRUD_SPEC_DIR ??
  fileURLToPath(new URL('../../../../shared/mongo-crud-spec', import.meta.url));
/** The version that the engine reports. The requirements of a test say which versions it is for. */
const VERSION = '8.0.0';
/** The tests of the supported operations for a standalone server of that version (commit 92b3c0b). */
const KNOWN_TESTS = 126;

const mongo = useEngine();
let client: MongoClient;
beforeAll(async () => {
  client = await new MongoClient(mongo.uri, { monitorCommands: true }).connect();
});
afterAll(() => client.close());

/** A test in the format of the specification. It runs without the files, too, and shows that the runner works. */
const SAMPLE: SpecFile = {
  description: 'sample',
  createEntities: [
    { client: { id: 'client0', observeEvents: ['commandStartedEvent'] } },
    { database: { id: 'database0', client: 'client0', databaseName: 'sample' } },
    { collection: { id: 'collection0', database: 'database0', collectionName: 'c' } },
  ],
  initialData: [{ databaseName: 'sample', collectionName: 'c', documents: [{ _id: 1, x: 11 }] }],
  tests: [
    {
      description: 'updateOne',
      operations: [
        {
          name: 'updateOne',
          object: 'collection0',
          arguments: { filter: { _id: 1 }, update: { $inc: { x: 1 } } },
          expectResult: { matchedCount: 1, modifiedCount: 1 },
        },
      ],
      expectEvents: [{ client: 'client0', events: [{ commandStartedEvent: { commandName: 'update' } }] }],
      outcome: [{ databaseName: 'sample', collectionName: 'c', documents: [{ _id: 1, x: 12 }] }],
    },
  ],
};

test('the runner of specification tests passes a right outcome and fails a wrong one', async () => {
  const [right] = SAMPLE.tests;
  if (!right) {
    throw new Error('the sample has no test');
  }
  await runSpecTest(client, SAMPLE, right);
  const documents = [{ _id: 1, x: 13 }];
  const wrong = { ...right, outcome: [{ databaseName: 'sample', collectionName: 'c', documents }] };
  await expect(runSpecTest(client, SAMPLE, wrong)).rejects.toThrow('outcome');
});

if (existsSync(FOLDER)) {
  describe("MongoDB's CRUD specification", () => {
    let found = 0;
    for (const name of readdirSync(FOLDER).filter((each) => each.endsWith('.json'))) {
      const file: SpecFile = JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8'));
      for (const each of isSupported(file) ? file.tests : []) {
        if (isRunnable(file.runOnRequirements, VERSION) && isRunnable(each.runOnRequirements, VERSION)) {
          found++;
          test(`${name}: ${each.description}`, () => runSpecTest(client, file, each));
        }
      }
    }

    test('the folder holds the known number of tests', () => {
      expect(found).toBe(KNOWN_TESTS);
    });
  });
} else {
  process.stderr.write(
    `${KNOWN_TESTS} MongoDB CRUD specification tests did not run, because ${FOLDER} does not exist. To run them, set MONGO_CRUD_SPEC_DIR to source/crud/tests/unified of https://github.com/mongodb/specifications (commit 92b3c0b).\n`,
  );
}
