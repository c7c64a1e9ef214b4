import { runCommandLine } from '@auth-gateway/embedded-mongo/tools';
import { loadEnvironment } from '../config/config.ts';
import { dataFolderOf } from '../config/database-settings.ts';

/*
 * npm run db:serve, db:verify, db:backup, db:restore, db:export and db:import: the commands of the embedded database, for the
 * data folder of this gateway. See `npm run db:backup -- --help`.
 */
process.exitCode = await runCommandLine(process.argv.slice(2), {
  usage: 'npm run db:COMMAND -- [options]',
  defaultPath: () => dataFolderOf(loadEnvironment()),
  defaultPathName: 'DATA_DIR',
  stdout: process.stdout,
  stderr: process.stderr,
});
