import { loadEnvironment, readConfig } from '../config/config.ts';
import { messageOf } from '../system/system-errors.ts';
import { UsageError } from './admin/command.ts';
import { HELP, type Request, readCommandLine } from './admin/command-line.ts';
import { printAll } from './admin/print.ts';

/*
 * npm run admin -- <command>: what operators do to accounts and tokens, and the audit trail. `-- --help` tells it all.
 */
async function fulfil({ task, isJson }: Request): Promise<void> {
  if (!task) {
    process.stdout.write(HELP);
    return;
  }
  const config = readConfig(loadEnvironment());
  // Loaded only here: whoever asks for help need not wait for a database's driver.
  const { openOffice } = await import('./admin/open-office.ts');
  const { office, close } = await openOffice(config);
  await printAll(task(office), isJson).finally(close);
}

try {
  await fulfil(readCommandLine(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError;
  const hint = isUsage ? 'See npm run admin -- --help\n' : '';
  process.stderr.write(`admin: ${messageOf(error)}\n${hint}`);
  process.exitCode = isUsage ? 2 : 1;
}
