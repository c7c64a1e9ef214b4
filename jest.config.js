// Tests run as ES modules through SWC, which is given the same decorator settings as tsconfig.json:
// ts-jest does not accept TypeScript 7 (it needs the JavaScript compiler API that 7 no longer has).
export default {
  testEnvironment: 'node',
  // Most tests wait for a process or a clock, and leave the core to another.
  maxWorkers: '100%',
  globalSetup: './tests/support/global-setup.mjs',
  globalTeardown: './tests/support/global-teardown.mjs',
  setupFiles: ['./tests/support/one-realm.ts'],
  setupFilesAfterEnv: ['./tests/support/watch-responses.ts'],
  // Far beyond what any test takes: a hang is to be found, a slow machine is to be forgiven.
  testTimeout: 120_000,
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  // Those need a browser: jest.browser.config.js.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/browser/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
