import { FAULTS, MONGODB, tier } from './jest.base.config.js';
import { testsLeftOut } from './tests/mongodb/support/mongod.mjs';

/** What runs on MongoDB beside its own tests: everything that a version or the rights of a user may change. */
const SHARED = [
  ...['contract', 'documents'].map((topic) => `<rootDir>/tests/${topic}/**/*.test.ts`),
  ...['db-move', 'check'].map((topic) => `<rootDir>/tests/integration/${topic}.test.ts`),
  '<rootDir>/tests/legacy/import.test.ts',
  '<rootDir>/packages/embedded-mongo/tests/{semantics,random*}.test.ts',
];

// `npm run test:mongodb`: tests on a MongoDB with TLS and users. Without a mongod, the embedded engine stands in for it.
export default async () =>
  tier([...MONGODB, ...FAULTS], {
    globalSetup: './tests/mongodb/support/global-setup.mjs',
    testMatch: [...[...MONGODB, ...FAULTS].map((folder) => `${folder}**/*.test.ts`), ...SHARED],
    testPathIgnorePatterns: ['/node_modules/', ...(await testsLeftOut()).files],
  });
