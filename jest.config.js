import { tier } from './jest.base.config.js';

// `npm test`: deterministic, and with npm alone.
export default tier();
