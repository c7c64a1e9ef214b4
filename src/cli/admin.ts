import { loadEnvironment, readConfig } from '../config/config.ts';
import { messageOf } from '../system/system-errors.ts';
import { UsageError } from './admin/command.ts';
import { HELP, type Request, readCommandLine } from './admin/command-line.ts';
import { printAll } from './admin/print.ts';

/*
 * npm run admin -- <command>: commands for operators about accounts, tokens and the audit trail. See `-- --help`.
 */
async function run({ task, isJson }: Request): Promise<void> {
  if (!task) {
    process.stdout.write(HELP);
    return;
  }
  const config = readConfig(loadEnvironment());
  // Loaded only here, so that the help does not wait for the driver of the database.
  const { openContext } = await import('./admin/open-context.ts');
  const { context, close } = await openContext(config);
  await printAll(task(context), isJson).finally(close);
}

try {
  await run(readCommandLine(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError;
  const hint = isUsage ? 'See npm run admin -- --help\n' : '';
  process.stderr.write(`admin: ${messageOf(error)}\n${hint}`);
  process.exitCode = isUsage ? 2 : 1;
}
