import config from './jest.config.js';

// The tests that need Debian's Chromium: a run of their own, so that `npm test` does without it.
export default {
  ...config,
  // Browsers beside each other only wait for each other; and the tests of the example share its build.
  maxWorkers: 1,
  testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
