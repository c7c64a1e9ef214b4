import { BROWSER, tier } from './jest.base.config.js';

// `npm run test:browser`: what needs Debian's Chromium. Browsers beside each other only wait for each other; and the tests
// of the example share its build.
export default tier(BROWSER, { maxWorkers: 1 });
