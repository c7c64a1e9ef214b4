import { tier } from './jest.base.config.js';

// `npm test`: deterministic tests that need only npm. Node.js keeps some 17 MB of each test file that has run, and collecting
// garbage among the leftovers of dozens of files takes longer than a new worker, which starts in two seconds.
export default tier(undefined, { workerIdleMemoryLimit: '512MB' });
