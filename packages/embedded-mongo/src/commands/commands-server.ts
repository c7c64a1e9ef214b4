import type { Document } from 'bson';
import { MAX_BSON_BYTES, MAX_MESSAGE_BYTES } from '../wire/wire.ts';
import type { CommandContext, CommandDefinition } from './command.ts';

/** The MongoDB release whose behaviour is followed. */
const VERSION = '8.0.0';
const WIRE_VERSION = 25;

const HANDSHAKE_FIELDS = [
  'helloOk',
  'client',
  'compression',
  'topologyVersion',
  'maxAwaitTimeMS',
  'saslSupportedMechs',
  'speculativeAuthenticate',
  'loadBalanced',
  'backpressure',
];

/** What the server says about itself. */
export const SERVER_COMMANDS: Record<string, CommandDefinition> = {
  hello: { fields: HANDSHAKE_FIELDS, run: hello },
  isMaster: { fields: HANDSHAKE_FIELDS, run: hello },
  ismaster: { fields: HANDSHAKE_FIELDS, run: hello },
  ping: { fields: [], run: () => ({}) },
  buildInfo: { fields: [], run: buildInfo },
  buildinfo: { fields: [], run: buildInfo },
  serverStatus: { fields: ['repl', 'metrics', 'locks'], run: serverStatus },
  endSessions: { fields: [], run: () => ({}) },
};

/** A standalone server: no set name, so drivers neither retry writes nor start transactions. */
function hello({ command, connectionId }: CommandContext): Document {
  const isLegacy = !('hello' in command);
  return {
    ...(command.helloOk && { helloOk: true }),
    ...(isLegacy ? { ismaster: true } : { isWritablePrimary: true }),
    maxBsonObjectSize: MAX_BSON_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  };
}

function buildInfo(): Document {
  const versionArray = [...VERSION.split('.').map(Number), 0];
  return {
    version: VERSION,
    gitVersion: 'embedded',
    modules: [],
    storageEngines: ['lmdb'],
    versionArray,
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_BSON_BYTES,
  };
}

function serverStatus({ engine }: CommandContext): Document {
  const uptimeMillis = Date.now() - engine.startedAt;
  const { rss } = process.memoryUsage();
  return {
    host: '127.0.0.1',
    version: VERSION,
    process: 'embedded-mongo',
    pid: process.pid,
    uptime: uptimeMillis / 1000,
    uptimeMillis,
    localTime: new Date(),
    mem: { bits: 64, resident: Math.round(rss / 1024 / 1024), supported: true },
    storageEngine: { name: 'lmdb', supportsCommittedReads: true, persistent: true },
  };
}
