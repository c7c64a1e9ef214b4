import { availableParallelism } from 'node:os';

/** The tests with real kills, full disks, deadlines and time, and with several gateways. */
export const FAULTS = ['<rootDir>/tests/faults/', '<rootDir>/tests/instances/'];
/** The tests of how the built programs start, run and end as processes. */
export const PROCESSES = ['<rootDir>/tests/processes/'];
/** The tests that need programs from Debian, and those that need its Chromium. */
export const SERVICES = ['<rootDir>/tests/services/', '<rootDir>/tests/legacy/services/'];
export const BROWSER = ['<rootDir>/tests/browser/'];
/** The tests of a real MongoDB: its replica sets, its users, its plans. */
export const MONGODB = ['<rootDir>/tests/mongodb/'];

// Tests run as ES modules through SWC. ts-jest does not accept TypeScript 7, because it needs the JavaScript API of the compiler,
// which 7 no longer has.
const base = {
  testEnvironment: '<rootDir>/tests/support/jest-environment.cjs',
  resolver: '<rootDir>/tests/support/jest-resolver.cjs',
  runtime: '<rootDir>/tests/support/jest-runtime.cjs',
  testSequencer: '<rootDir>/tests/support/longest-first.cjs',
  // A third of the time a test waits for a process, a disk or a clock, so another test can use the core.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  globalSetup: './tests/support/global-setup.mjs',
  globalTeardown: './tests/support/global-teardown.mjs',
  setupFilesAfterEnv: ['./tests/support/delayed-database.ts', './tests/support/watch-responses.ts'],
  // Far more than any test takes: it finds hangs and lets slow machines pass.
  testTimeout: 300_000,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript' },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

/**
 * The configuration of one tier of the tests.
 * @param folders of its tests; without folders, it has all tests that belong to no other tier
 * @param settings replace the default settings
 */
export const tier = (folders, settings = {}) => ({
  ...base,
  testMatch: (folders ?? ['<rootDir>/tests/', '<rootDir>/packages/*/tests/']).map(
    (folder) => `${folder}**/*.test.ts`,
  ),
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(folders ? [] : [...FAULTS, ...PROCESSES, ...SERVICES, ...BROWSER, ...MONGODB]),
  ],
  ...settings,
});
