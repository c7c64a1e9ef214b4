import { tier } from './jest.base.config.js';

// `npm test`: deterministic tests that need only npm.
export default tier();
