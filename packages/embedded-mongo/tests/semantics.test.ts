import { useEngine } from './support/engine.ts';
import { expectedOf, outcomeOf, semanticCases } from './support/semantics.ts';

/**
 * The table of truth: what MongoDB answers to a command, case by case. With TEST_MONGODB_URI it judges that server instead of
 * the embedded engine.
 */
const mongo = useEngine(process.env.TEST_MONGODB_URI);

for (const [file, cases] of semanticCases()) {
  describe(file, () => {
    test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
      const outcome = await outcomeOf(mongo.client.db('semantics'), each);
      if (each.refused && !process.env.TEST_MONGODB_URI) {
        expect(outcome.error).toBeGreaterThan(0);
      } else {
        expect(outcome).toEqual(expectedOf(each));
      }
    });

    test('every case names its source and expects something', () => {
      for (const each of cases) {
        expect(each.source).toMatch(/^(https:\/\/www\.mongodb\.com\/docs\/|jstests\/|src\/mongo\/)/);
        expect(Object.keys(expectedOf(each))).not.toHaveLength(0);
      }
    });
  });
}

test('the table has at least 600 cases, each with a name of its own', () => {
  const names = semanticCases().flatMap(([file, cases]) => cases.map(({ name }) => `${file} ${name}`));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(600);
});
