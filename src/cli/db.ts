import { runCommandLine } from '@auth-gateway/embedded-mongo/tools';
import { dataFolderOf } from '../config/database-settings.ts';
import type { RunCommand } from './command-line.ts';

/** The commands of the embedded database, for the data folder of this gateway; and `move`, which is the gateway's own. */
export const run: RunCommand = async (words, environment, streams) => {
  if (words[0] === 'move') {
    const move = await import('./db-move.ts');
    return move.run(words.slice(1), environment, streams);
  }
  return runCommandLine(words, {
    usage: 'auth-gateway db COMMAND [options]',
    more: '  move\n      copies the database into a MongoDB: see auth-gateway db move --help\n',
    defaultPath: () => dataFolderOf(environment()),
    defaultPathName: 'DATA_DIR',
    stdout: streams.stdout,
    stderr: streams.stderr,
  });
};
