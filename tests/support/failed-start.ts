import { createApp } from '../../src/app/app.ts';
// Loaded with the test file: jest takes seconds for it.
import '../../src/app/apis.ts';
import { type Environment, readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/system/log.ts';

/**
 * Starts the app in this process, where it must fail. It saves the start of a process: main.ts writes the same text.
 * @returns the text of the error
 */
export async function failedStart(environment: Environment): Promise<string> {
  const start = async () => {
    const app = createApp(readConfig(environment), createLog('silent', { write: () => {} }));
    await app.start();
    await app.stop();
  };
  return start().then(
    () => {
      throw new Error('the app has started');
    },
    ({ message }: Error) => message,
  );
}
