import { SERVICES, tier } from './jest.base.config.js';
import { missingPrograms } from './tests/services/support/programs.mjs';

// `npm run test:services`: tests with programs from Debian. It skips and names the tests whose program is missing.
const missing = missingPrograms();

export default tier(SERVICES, {
  globalSetup: './tests/services/support/global-setup.mjs',
  passWithNoTests: true,
  testPathIgnorePatterns: ['/node_modules/', ...missing.flatMap(({ folder }) => folder ?? [])],
});
