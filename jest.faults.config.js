import { FAULTS, PROCESSES, tier } from './jest.base.config.js';

// `npm run test:faults`: real kills, disks, processes and time.
export default tier([...FAULTS, ...PROCESSES]);
