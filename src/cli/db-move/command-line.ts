import { parseWords } from '../command-words.ts';
import { UsageError } from '../usage-error.ts';

/** The help text. */
export const HELP = `usage: npm run db:move -- [--to ADDRESS] [--path FOLDER] [--database NAME]

Copies the embedded database into a MongoDB, compares every document and every index, and changes nothing in the folder.
Stop the gateway first. The same command goes on with a move that was interrupted.

  --to mongodb://user:password@host/database is the target. If it names no database, auth_gateway is used. Without --to it
    is MONGODB_URI or MONGODB_URI_FILE, which no list of processes shows.
  --path FOLDER is the folder of the embedded database. Default: DATA_DIR.
  --database NAME is the database in the folder. Default: its only one, or auth_gateway.
  Exit codes: 0 moved, 1 failed or stopped, 2 refused: nothing was changed.
`;

const OPTIONS = {
  to: { type: 'string' },
  path: { type: 'string' },
  database: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** A parsed command line. What is undefined comes from the settings. */
export interface MoveCommand {
  isHelp: boolean;
  to: string | undefined;
  path: string | undefined;
  database: string | undefined;
}

/** @throws UsageError. It never has the address, which may contain a password */
export function readCommandLine(words: string[]): MoveCommand {
  const { values, positionals } = parseWords(words, OPTIONS);
  const { to, path, database, help: isHelp = false } = values;
  if (positionals.length > 0) {
    throw new UsageError('The address of the target is given with --to.');
  }
  if (to !== undefined && !/^mongodb(\+srv)?:\/\/[^/]/.test(to)) {
    throw new UsageError('--to must be a mongodb:// or mongodb+srv:// address.');
  }
  if (path === '' || path === ':memory:' || database === '') {
    throw new UsageError(
      `${database === '' ? '--database must name a database' : '--path must be a folder'}.`,
    );
  }
  return { isHelp, to, path, database };
}
