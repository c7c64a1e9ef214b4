import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startEmbeddedMongo } from '../../../tests/support/embedded-mongo.ts';
import { isRunnable, runSpecTest, type SpecFile } from '../../../tests/support/unified-spec.ts';

/** MongoDB's public CRUD specification tests, which lie beside the repository and are no part of it. */
const folder =
  process.env.MONGO_CRUD_SPEC_DIR ??
  fileURLToPath(new URL('../../../../shared/mongo-crud-spec', import.meta.url));
/** The version the engine reports; tests for others are left out, as their requirements say. */
const VERSION = '8.0.0';

if (existsSync(folder)) {
  describe("MongoDB's CRUD specification", () => {
    let engine: Awaited<ReturnType<typeof startEmbeddedMongo>>;
    beforeAll(async () => {
      engine = await startEmbeddedMongo({ path: ':memory:' });
    });
    afterAll(() => engine.stop());

    for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
      const file: SpecFile = JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
      const tests = file.tests.filter(
        (test) => isRunnable(file.runOnRequirements, VERSION) && isRunnable(test.runOnRequirements, VERSION),
      );
      for (const test of tests) {
        it(`${name}: ${test.description}`, () => runSpecTest(engine.uri, file, test));
      }
    }
  });
} else {
  it.skip(`MongoDB's CRUD specification: the folder ${folder} is absent`, () => {});
}
