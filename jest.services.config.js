import { SERVICES, tier } from './jest.base.config.js';
import { missingPrograms } from './tests/services/support/programs.mjs';

// `npm run test:services`: what needs programs from Debian. It leaves out, and names, what this machine has no program for.
const missing = missingPrograms();

export default tier(SERVICES, {
  globalSetup: './tests/services/support/global-setup.mjs',
  passWithNoTests: true,
  testPathIgnorePatterns: ['/node_modules/', ...missing.flatMap(({ folder }) => folder ?? [])],
});
