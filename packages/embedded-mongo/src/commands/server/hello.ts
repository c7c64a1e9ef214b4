import type { Document } from 'bson';
import { MAX_BSON_BYTES, MAX_MESSAGE_BYTES, MAX_WRITE_BATCH } from '../../base/limits.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';

/** The wire version of MongoDB 8.0. */
const WIRE_VERSION = 25;

/** `hello`, and `isMaster`, its older name. */
export const helloCommand: CommandDefinition = {
  fields: [
    'helloOk',
    'client',
    'compression',
    'topologyVersion',
    'maxAwaitTimeMS',
    'saslSupportedMechs',
    'speculativeAuthenticate',
    'loadBalanced',
    'backpressure',
  ],
  run: hello,
};

/** A standalone server: the answer has no set name, so drivers neither retry writes nor start transactions. */
function hello({ command, connectionId }: CommandContext): Document {
  const isLegacy = !('hello' in command);
  return {
    ...(command.helloOk && { helloOk: true }),
    ...(isLegacy ? { ismaster: true } : { isWritablePrimary: true }),
    maxBsonObjectSize: MAX_BSON_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  };
}
