import { loadEnvironment } from '../config/config.ts';
import { runDoctor } from './doctor/run-doctor.ts';

/*
 * npm run doctor: tells an operator whether this installation is sound before it takes traffic. See `-- --help`.
 */
const AFTERMATH_MILLIS = 5_000;

process.exitCode = await runDoctor(process.argv.slice(2), loadEnvironment, process);
// A check that was given up may never end, and would keep the process. Until then it may remove what it has made.
setTimeout(() => process.exit(), AFTERMATH_MILLIS).unref();
