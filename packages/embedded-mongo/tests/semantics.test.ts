import { MongoClient } from 'mongodb';
import { surviving, useEngine } from './support/engine.ts';
import {
  arrangementOf,
  expectedOf,
  outcomeOf,
  type SemanticCase,
  semanticCases,
} from './support/semantics.ts';
import { isOfVersion, printLeftOut, versionOf } from './support/versions.ts';

/**
 * The table of truth: what MongoDB answers to a command, case by case. With TEST_MONGODB_URI it judges that server instead of
 * the embedded engine. Cases of other versions of MongoDB are left out, and on a
 * connection with a user those of one without. A case that kills the server fails, and the others run.
 */
const uri = process.env.TEST_MONGODB_URI;
const mongo = useEngine(uri);
const version = await versionOf(uri);
const table = semanticCases();
/** MongoDB shows the users of a connection. */
const hasUsers = uri !== undefined && new MongoClient(uri).options.credentials !== undefined;
const isRun = (each: SemanticCase) => isOfVersion(version, each) && !(hasUsers && each.withoutUsers);
/** A page of the manual, an issue of MongoDB, one of its tests or one of its sources. */
const SOURCE = /^(https:\/\/(www\.mongodb\.com\/docs|jira\.mongodb\.org\/browse)\/|jstests\/|src\/mongo\/)/;

afterAll(() => {
  const all = table.flatMap(([, cases]) => cases);
  const left = all.filter((each) => !isRun(each)).length;
  printLeftOut('Table of truth', version, { left, all: all.length });
});

for (const [file, all] of table) {
  // Those with the same documents follow one another.
  const cases = all
    .filter(isRun)
    .map((each) => ({ each, arrangement: arrangementOf(each) }))
    .sort((one, other) => one.arrangement.localeCompare(other.arrangement, 'en'))
    .map(({ each }) => [each.name, each] as const);
  describe(file, () => {
    test.each(cases)('%s', async (_, each) => {
      const run = () => outcomeOf(mongo.client.db('semantics'), each);
      const outcome = await surviving(mongo, `${file}: ${each.name}`, run);
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

test('the table has at least 600 cases, each with a name of its own', () => {
  const names = table.flatMap(([file, cases]) => cases.map(({ name }) => `${file} ${name}`));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(600);
});
