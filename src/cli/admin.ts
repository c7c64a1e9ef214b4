import { loadEnvironment } from '../config/config.ts';
import { runAdmin } from './admin/run-admin.ts';

/*
 * npm run admin -- <command>: commands for operators about accounts, tokens and the audit trail. See `-- --help`.
 */
process.exitCode = await runAdmin(process.argv.slice(2), loadEnvironment, process);
