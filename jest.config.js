// Tests run as ES modules through SWC, which is given the same decorator settings as tsconfig.json:
// ts-jest does not accept TypeScript 7 (it needs the JavaScript compiler API that 7 no longer has).
export default {
  testEnvironment: 'node',
  globalSetup: './tests/support/global-setup.mjs',
  globalTeardown: './tests/support/global-teardown.mjs',
  setupFilesAfterEnv: ['./tests/support/watch-responses.ts'],
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
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
