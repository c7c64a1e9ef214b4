import mysql from 'mysql2/promise';
import type { Clock } from '../../system/clock.ts';
import { messageOf } from '../../system/system-errors.ts';
import { isOnLostConnection, unrefSocket } from '../mysql2.ts';

const CONNECT_MILLIS = 10_000;
/** No query reads more than a batch, but the server may be busy with its callers, and counts take longer. */
const MAX_ANSWER_MILLIS = 60_000;

/** An error of mysql2. It is fatal if the connection cannot be used any more. */
type DriverError = Error & { code?: string; fatal?: boolean };

/** @throws Error without the password */
export async function connectToLegacy(uri: string): Promise<mysql.Connection> {
  const connecting = mysql.createConnection({
    uri,
    charset: 'utf8mb4',
    connectTimeout: CONNECT_MILLIS,
    // Texts as the session shows them: the application's time zone is an option of the commands.
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    rowsAsArray: true,
  });
  const connection = await connecting.catch((cause: unknown) => {
    throw new Error(`The legacy database refuses, or does not answer: ${messageOf(cause)}`, { cause });
  });
  // The promise of the running query, or of the next one, reports a lost connection, too.
  connection.on('error', () => {});
  return connection;
}

/**
 * Runs one statement.
 * @returns the rows, each a list of values
 * @throws Error for people. If there is no answer within a minute, the connection ends. The driver's own limit leaves the
 *   connection open, and its timer keeps the process running after the connection was lost
 */
export async function queryLegacy(
  connection: mysql.Connection,
  sql: string,
  clock: Clock,
): Promise<unknown[][]> {
  let cancel = () => {};
  const tooLate = new Promise<never>((_, reject) => {
    cancel = clock.after(MAX_ANSWER_MILLIS, () => {
      connection.destroy();
      reject(lost(`no answer in ${MAX_ANSWER_MILLIS / 1000} s`));
    });
  });
  try {
    const [rows] = await Promise.race([
      connection.query<mysql.RowDataPacket[][]>({ sql, rowsAsArray: true }),
      tooLate,
    ]);
    return rows;
  } catch (error) {
    throw asReadError(error as DriverError);
  } finally {
    cancel();
  }
}

/** Ends a connection, also if the server does not answer. */
export async function closeLegacy(connection: mysql.Connection): Promise<void> {
  await connection.end().catch(() => connection.destroy());
  unrefSocket(connection);
}

const lost = (reason: string): DriverError => Object.assign(new Error(reason), { fatal: true });

function asReadError(cause: DriverError): Error {
  if (!cause.fatal) {
    return new Error(`The legacy database refuses, or does not answer: ${messageOf(cause)}`, { cause });
  }
  const reason = isOnLostConnection(cause) ? 'the connection was lost' : cause.message;
  return new Error(`The legacy database does not answer any more: ${reason}`, { cause });
}
