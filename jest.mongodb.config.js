import { readdirSync, readFileSync } from 'node:fs';
import { MONGODB, tier } from './jest.base.config.js';

// `npm run jest -- --config jest.mongodb.config.js`: tests of a real MongoDB, which TEST_MONGODB_URI names, or TEST_MONGOD as a
// program. Without one, they are left out, and a line says which and how many.
const { TEST_MONGODB_URI, TEST_MONGOD } = process.env;
const FOLDER = 'tests/mongodb/';
const files = TEST_MONGODB_URI || TEST_MONGOD ? [] : readdirSync(FOLDER).map((name) => FOLDER + name);
const leftOut = files.filter((file) => file.endsWith('.test.ts'));

if (leftOut.length > 0) {
  const tests = leftOut.flatMap((file) => readFileSync(file, 'utf8').match(/^test\(/gm) ?? []);
  process.stderr.write(
    `No MongoDB (TEST_MONGODB_URI, TEST_MONGOD), so left out: ${tests.length} tests, ${leftOut.join(', ')}\n`,
  );
}
if (TEST_MONGOD) {
  process.env.MONGOMS_SYSTEM_BINARY ??= TEST_MONGOD;
}

export default tier(MONGODB, {
  passWithNoTests: true,
  testPathIgnorePatterns: ['/node_modules/', ...leftOut],
});
