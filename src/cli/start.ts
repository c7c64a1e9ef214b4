import { setFlagsFromString } from 'node:v8';
import { printError, type RunCommand, UsageError } from './command-line.ts';

const NAME = 'auth-gateway start';

const HELP = `usage: ${NAME}

  Starts the gateway with the settings of the environment, and outside of production with those in
  .env. SIGTERM and Ctrl-C stop it. Exit codes: 0 stopped; 1 failed.
`;

/** Starts the gateway in this process. @returns undefined: the gateway ends the process */
export const run: RunCommand = async (words, _environment, streams) => {
  if (words.includes('--help')) {
    streams.stdout.write(HELP);
    return 0;
  }
  if (words.length > 0) {
    printError(NAME, new UsageError('It takes no words: settings are in the environment.'), streams);
    return 2;
  }
  // As in deploy/systemd: it keeps the memory low.
  setFlagsFromString('--heap-growing-percent=80');
  await import('../main.ts');
  return undefined;
};
