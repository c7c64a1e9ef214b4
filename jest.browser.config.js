import { BROWSER, tier } from './jest.base.config.js';

// `npm run test:browser`: tests that need Debian's Chromium. They run one after the other: parallel browsers would only slow
// each other down, and the tests of the example share its build.
export default tier(BROWSER, { maxWorkers: 1 });
