import { loadEnvironment } from '../config/config.ts';
import { runDoctor } from './doctor/run-doctor.ts';

/*
 * npm run doctor: tells an operator whether this installation is sound before it takes traffic. See `-- --help`.
 */
process.exitCode = await runDoctor(process.argv.slice(2), loadEnvironment, process);
