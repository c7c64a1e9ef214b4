import { MongoClient } from 'mongodb';
import { useEngine } from './support/engine.ts';
import { expectedOf, isOfVersion, outcomeOf, type SemanticCase, semanticCases } from './support/semantics.ts';

/**
 * The table of truth: what MongoDB answers to a command, case by case. With TEST_MONGODB_URI it judges that server instead of
 * the embedded engine. Cases of other versions of MongoDB are left out.
 */
const uri = process.env.TEST_MONGODB_URI;
const mongo = useEngine(uri);
const version = uri === undefined ? undefined : await versionOf(uri);
const table = semanticCases();
/** A page of the manual, an issue of MongoDB, one of its tests or one of its sources. */
const SOURCE = /^(https:\/\/(www\.mongodb\.com\/docs|jira\.mongodb\.org\/browse)\/|jstests\/|src\/mongo\/)/;

async function versionOf(server: string): Promise<string> {
  const client = await new MongoClient(server).connect();
  try {
    return (await client.db('admin').command({ buildInfo: 1 })).version;
  } finally {
    await client.close();
  }
}

afterAll(() => {
  const all = table.flatMap(([, cases]) => cases);
  const others = all.filter((each) => !isOfVersion(version, each));
  if (version !== undefined) {
    process.stdout.write(
      `Table of truth on MongoDB ${version}: left out ${others.length} of ${all.length} cases of other versions\n`,
    );
  }
});

for (const [file, all] of table) {
  const cases = all.filter((each) => isOfVersion(version, each));
  describe(file, () => {
    test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
      const outcome = await outcomeOf(mongo.client.db('semantics'), each);
      if (each.refused && !uri) {
        expect(outcome.error).toBeGreaterThan(0);
      } else {
        expect(outcome).toEqual(expectedOf(each));
      }
    });

    test('every case names its source and expects something', () => {
      for (const each of all) {
        expect(each.source).toMatch(SOURCE);
        expect(each.changed ?? each.source).toMatch(SOURCE);
        expect(each.changed === undefined).toBe(each.since === undefined && each.until === undefined);
        expect(Object.keys(expectedOf(each))).not.toHaveLength(0);
      }
    });
  });
}

test.each<[string | undefined, Partial<SemanticCase>, boolean]>([
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
  expect(isOfVersion(server, each as SemanticCase)).toBe(runs);
});

test('the table has at least 600 cases, each with a name of its own', () => {
  const names = table.flatMap(([file, cases]) => cases.map(({ name }) => `${file} ${name}`));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(600);
});
