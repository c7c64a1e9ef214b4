import { tier } from './jest.base.config.js';

const { setupFilesAfterEnv, ...settings } = tier();

// `npm test`: deterministic tests that need only npm. They see every query and event of the gateway and its
// commands. The move from the
// legacy service runs in another tier: its queries are those of a tool.
export default {
  ...settings,
  setupFilesAfterEnv: [
    ...setupFilesAfterEnv,
    './tests/support/watch-queries.ts',
    './tests/support/watch-events.ts',
  ],
};
