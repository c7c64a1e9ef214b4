import { BSONError, type Document } from 'bson';
import { debug } from '../base/debug.ts';
import { CommandError, locationError, mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { COMMANDS } from './registry.ts';
import type { CommandContext, Engine } from './support/command.ts';
import { checkReadConcern, checkSession, requiresFlush } from './support/concerns.ts';
import { checkFields } from './support/known-fields.ts';

/** Runs one command and gives its answer. It never rejects: an error becomes an answer, too. */
export async function runCommand(engine: Engine, command: Document, connectionId: number): Promise<Document> {
  try {
    const [name = ''] = Object.keys(command);
    const definition = lookUp(COMMANDS, name);
    if (!definition) {
      throw mongoError('CommandNotFound', `no such command: '${name}'`);
    }
    const database = command.$db;
    if (typeof database !== 'string') {
      throw locationError(40571, 'OP_MSG requests require a $db argument');
    }
    checkFields(name, command, definition);
    checkSession(command);
    const isDurable = requiresFlush(command);
    checkReadConcern(command);
    const context: CommandContext = { engine, database, command, connectionId };
    const reply = await definition.run(context);
    if (definition.isWrite && isDurable) {
      await engine.store.flushed();
    }
    return { ...reply, ok: 1 };
  } catch (error) {
    return errorReply(error);
  }
}

/** The answer that reports an error. */
export function errorReply(error: unknown): Document {
  if (error instanceof CommandError) {
    return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.extra };
  }
  if (error instanceof BSONError) {
    return { ok: 0, errmsg: error.message, code: 22, codeName: 'InvalidBSON' };
  }
  debug('internal error: %o', error);
  return { ok: 0, errmsg: `internal error: ${(error as Error).message}`, code: 1, codeName: 'InternalError' };
}
