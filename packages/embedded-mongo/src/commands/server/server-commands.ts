import type { Document } from 'bson';
import { MAX_BSON_BYTES, MAX_MESSAGE_BYTES, MAX_WRITE_BATCH } from '../../base/limits.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { VERSION } from './version.ts';

/** The wire version of MongoDB 8.0. */
const WIRE_VERSION = 25;

const HELLO_FIELDS =
  'helloOk client compression topologyVersion maxAwaitTimeMS saslSupportedMechs speculativeAuthenticate loadBalanced backpressure';

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

const BUILD_INFO = {
  version: VERSION,
  gitVersion: 'embedded',
  modules: [],
  storageEngines: ['lmdb'],
  versionArray: [...VERSION.split('.').map(Number), 0],
  bits: 64,
  debug: false,
  maxBsonObjectSize: MAX_BSON_BYTES,
};

/** A small part of MongoDB's `serverStatus`. */
function serverStatus({ engine }: CommandContext): Document {
  const uptimeMillis = Date.now() - engine.startedAt;
  return {
    host: '127.0.0.1',
    version: VERSION,
    process: 'embedded-mongo',
    pid: process.pid,
    uptime: uptimeMillis / 1000,
    uptimeMillis,
    localTime: new Date(),
    mem: { bits: 64, resident: Math.round(process.memoryUsage.rss() / 1024 / 1024), supported: true },
    storageEngine: { name: 'lmdb', supportsCommittedReads: true, persistent: true },
  };
}

const helloCommand = { fields: HELLO_FIELDS.split(' '), run: hello };
const buildInfoCommand = { fields: [], run: () => BUILD_INFO };

/** The commands about the server itself, with the older spellings that drivers still send. */
export const SERVER_COMMANDS: Record<string, CommandDefinition> = {
  hello: helloCommand,
  isMaster: helloCommand,
  ismaster: helloCommand,
  ping: { fields: [], run: () => ({}) },
  buildInfo: buildInfoCommand,
  buildinfo: buildInfoCommand,
  serverStatus: { fields: ['repl', 'metrics', 'locks'], run: serverStatus },
  // There are no sessions to end: the engine keeps no state for them.
  endSessions: { fields: [], run: () => ({}) },
};
