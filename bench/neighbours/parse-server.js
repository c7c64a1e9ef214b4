/*
 * parse-server on MONGODB_URI and PORT, with its defaults: caches (users and sessions for 5 s), bcrypt at cost 10,
 * sessions of a year. Prints one line with its address when it listens.
 */
import { listen, openDatabase, serve } from './support.js';

const DATABASE = 'neighbour_parse_server';

/** MONGODB_URI with the database in its path: parse-server reads its name only from there. */
function databaseUri() {
  const uri = new URL(process.env.MONGODB_URI);
  uri.pathname = `/${DATABASE}`;
  return uri.href;
}

// Before it has read its options, it logs to a folder and to stdout, but stdout must have only the ready line.
process.env.PARSE_SERVER_LOGS_FOLDER = 'null';
const { ParseServer } = await import('parse-server');
const { logger } = await import('parse-server/lib/Adapters/Logger/WinstonLogger.js');
logger.silent = true;

const { server, url } = await listen();
const parse = new ParseServer({
  appId: 'bench',
  masterKey: 'bench-master-key',
  maintenanceKey: 'bench-maintenance-key',
  databaseURI: databaseUri(),
  serverURL: url,
  // It would send a request to its own address during the start, before it can answer.
  verifyServerUrl: false,
  silent: true,
  logsFolder: null,
  databaseOptions: {
    // Indexes with a collation, which the embedded engine does not have. Neither login nor who-am-I reads them.
    createIndexUserUsernameCaseInsensitive: false,
    createIndexUserEmailCaseInsensitive: false,
  },
});
await parse.start();
// Operators must make this index themselves. Without it, who-am-I reads every session.
const database = await openDatabase(DATABASE);
await database.collection('_Session').createIndex({ _session_token: 1 });
serve(server, parse.app, `parse-server is ready: ${url}`);
