import { BROWSER, tier } from './jest.base.config.js';

// `npm run test:browser`: tests that need Debian's Chromium. A browser uses several processes, so more of them would only slow
// each other down.
export default tier(BROWSER, { maxWorkers: '100%' });
