import { BSONError, type Document } from 'bson';
import { debug } from '../base/debug.ts';
import { CommandError, locationError, mongoError } from '../base/errors.ts';
import { isDocument, lookUp } from '../values/values.ts';
import type { CommandContext, CommandDefinition, Engine } from './command.ts';
import { CATALOG_COMMANDS } from './commands-catalog.ts';
import { READ_COMMANDS } from './commands-read.ts';
import { SERVER_COMMANDS } from './commands-server.ts';
import { WRITE_COMMANDS } from './commands-write.ts';
import { FIND_AND_MODIFY } from './find-and-modify.ts';

const COMMANDS: Record<string, CommandDefinition> = {
  ...SERVER_COMMANDS,
  ...READ_COMMANDS,
  ...WRITE_COMMANDS,
  ...CATALOG_COMMANDS,
  findAndModify: FIND_AND_MODIFY,
  findandmodify: FIND_AND_MODIFY,
};

/** Fields any command may have; those of transactions are refused by checkSession. */
const COMMON_FIELDS = new Set([
  '$db',
  '$readPreference',
  '$clusterTime',
  '$audit',
  '$client',
  'lsid',
  'txnNumber',
  'startTransaction',
  'autocommit',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'maxTimeMSOpOnly',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'rawData',
  'stmtId',
  'stmtIds',
]);

/** Runs one command and answers it, errors included: nothing a client sends may throw beyond here. */
export async function runCommand(engine: Engine, command: Document, connectionId: number): Promise<Document> {
  try {
    const [name = ''] = Object.keys(command);
    const definition = lookUp(COMMANDS, name);
    if (!definition) throw mongoError('CommandNotFound', `no such command: '${name}'`);
    const database = command.$db;
    if (typeof database !== 'string') throw locationError(40571, 'OP_MSG requests require a $db argument');
    checkFields(name, command, definition);
    checkSession(command);
    const isDurable = checkWriteConcern(command);
    checkReadConcern(command);
    const context: CommandContext = { engine, database, command, connectionId };
    const reply = await definition.run(context);
    if (definition.isWrite && isDurable) await engine.store.flushed();
    return { ...reply, ok: 1 };
  } catch (error) {
    return errorReply(error);
  }
}

function errorReply(error: unknown): Document {
  if (error instanceof CommandError) {
    return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra };
  }
  if (error instanceof BSONError) return { ok: 0, errmsg: error.message, code: 22, codeName: 'InvalidBSON' };
  debug('internal error: %o', error);
  return { ok: 0, errmsg: `internal error: ${(error as Error).message}`, code: 1, codeName: 'InternalError' };
}

function checkFields(name: string, command: Document, { fields }: CommandDefinition): void {
  for (const field of Object.keys(command)) {
    if (field === name || COMMON_FIELDS.has(field) || fields.includes(field)) continue;
    throw locationError(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
}

function checkSession({ lsid, txnNumber, startTransaction, autocommit }: Document): void {
  if (txnNumber === undefined && startTransaction === undefined && autocommit === undefined) return;
  if (!isDocument(lsid))
    throw mongoError('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  throw mongoError(
    'IllegalOperation',
    'Transaction numbers are only allowed on a replica set member or mongos',
  );
}

/** Whether the write must be on disk before it is acknowledged (j: true, or w: "majority", which implies it). */
function checkWriteConcern({ writeConcern }: Document): boolean {
  if (writeConcern === undefined) return false;
  const { w = 1, j = false, fsync = false } = isDocument(writeConcern) ? writeConcern : {};
  if (typeof w === 'string' && w !== 'majority') {
    throw mongoError(
      'BadValue',
      `cannot use non-majority 'w' mode ${w} when a host is not a member of a replica set`,
    );
  }
  if (Number(w) > 1) throw mongoError('BadValue', "cannot use 'w' > 1 when a host is not replicated");
  return w === 'majority' || Boolean(j) || Boolean(fsync);
}

function checkReadConcern({ readConcern }: Document): void {
  const level = isDocument(readConcern) ? (readConcern.level ?? 'local') : 'local';
  if (['local', 'available', 'majority'].includes(level)) return;
  if (level === 'linearizable' || level === 'snapshot') {
    throw mongoError('NotAReplicaSet', `node needs to be a replica set member to use readConcern: ${level}`);
  }
  throw mongoError(
    'FailedToParse',
    `Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`,
  );
}
