import type { Document } from 'bson';
import { demand, refuse } from '../../base/errors.ts';
import { MAX_BSON_BYTES, MAX_MESSAGE_BYTES, MAX_WRITE_BATCH } from '../../base/limits.ts';
import { isDocument } from '../../values/types.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { isCommonField } from '../support/known-fields.ts';
import { VERSION } from './version.ts';

/** MongoDB's default of maxIncomingConnections. */
const MAX_CONNECTIONS = 1_000_000;

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

/** Nobody authenticates. */
function connectionStatus({ command }: CommandContext): Document {
  const privileges = command.showPrivileges ? { authenticatedUserPrivileges: [] } : {};
  return { authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], ...privileges } };
}

/** Knows only the version of the data's format, which tools ask for. */
function getParameter({ command, database }: CommandContext): Document {
  demand(database === 'admin', 'Unauthorized', 'getParameter may only be run against the admin database.');
  refuse(command.getParameter === '*' || isDocument(command.getParameter), 'getParameter of all parameters');
  const names = Object.keys(command).filter((name) => name !== 'getParameter' && !isCommonField(name));
  demand(names.length > 0, 'InvalidOptions', 'no option found to get');
  const unknown = names.find((name) => name !== FCV);
  refuse(unknown !== undefined, `the parameter ${unknown}`);
  return { [FCV]: { version: VERSION.split('.').slice(0, 2).join('.') } };
}

const FCV = 'featureCompatibilityVersion';

/** A small part of MongoDB's `serverStatus`. */
function serverStatus({ engine }: CommandContext): Document {
  const { connections } = engine;
  const uptimeMillis = Date.now() - engine.startedAt;
  return {
    host: '127.0.0.1',
    version: VERSION,
    process: 'embedded-mongo',
    pid: process.pid,
    uptime: uptimeMillis / 1000,
    uptimeMillis,
    localTime: new Date(),
    connections: {
      current: connections.current,
      available: MAX_CONNECTIONS - connections.current,
      totalCreated: connections.totalCreated,
    },
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
  connectionStatus: { fields: ['showPrivileges'], run: connectionStatus },
  getParameter: { fields: [FCV], run: getParameter },
  buildInfo: buildInfoCommand,
  buildinfo: buildInfoCommand,
  serverStatus: { fields: ['repl', 'metrics', 'locks'], run: serverStatus },
  // There are no sessions to end: the engine keeps no state for them.
  endSessions: { fields: [], run: () => ({}) },
};
