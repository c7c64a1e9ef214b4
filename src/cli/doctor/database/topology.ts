import { BlockList, isIP } from 'node:net';
import type { DatabaseConfig } from '../../../database/server.ts';
import type { Connecting, Greeting } from '../../../database/server-greeting.ts';
import { error, type Finding, ok, warning } from '../finding.ts';

/** How the database is set up. */
export function* topologyFindings(
  config: DatabaseConfig,
  server: { greeting: Greeting; version: string; connecting: Connecting },
): Generator<Finding> {
  if (config.kind !== 'mongodb') {
    yield ok('The embedded database is open. It serves one gateway, and its backup is npm run db:backup.');
    return;
  }
  yield judgeMembers(server.greeting);
  yield judgeVersion(server.version);
  yield* judgeWay(server.connecting);
}

const MEMBERS = 3;

function judgeMembers({ setName, hosts = [], passives = [], arbiters = [], msg }: Greeting): Finding {
  if (msg === 'isdbgrid') {
    return ok('MongoDB is a sharded cluster.');
  }
  const todo = 'Use a replica set of three members that have data: docs/operations.md, "Replica set".';
  if (setName === undefined) {
    return warning('MongoDB is a lone server: if its disk or machine fails, all is down, or lost.', todo);
  }
  const members = hosts.length + passives.length;
  if (members < MEMBERS) {
    const withArbiters = arbiters.length > 0 ? ` and ${arbiters.length} arbiters` : '';
    const text = `The replica set has ${members} members with data${withArbiters}: the loss of one may stop all writes.`;
    return warning(text, todo);
  }
  return ok(`MongoDB is a replica set of ${members} members. Writes wait for the majority, journaled.`);
}

/** The support of 6.0 ended in July 2025. https://www.mongodb.com/legal/support-policy/lifecycles */
const OLDEST_SUPPORTED = 7;

function judgeVersion(version: string): Finding {
  const major = Number.parseInt(version, 10);
  const todo = 'Plan its upgrade, one major version after the other. The gateway is tested with 8.0.';
  return major < OLDEST_SUPPORTED
    ? warning(`MongoDB ${version} is out of support: it gets no security fixes.`, todo)
    : ok(`Its version is ${version}.`);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isOfThisMachine(host: string | undefined): boolean {
  const family = isIP(host ?? '');
  // A socket of the file system has no host.
  return (
    host === undefined ||
    host === 'localhost' ||
    (family !== 0 && LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4'))
  );
}

/** The way to the database: who may use it, and who can read along. */
function* judgeWay({ hosts, hasCredentials, isEncrypted }: Connecting): Generator<Finding> {
  const isNear = hosts.every(isOfThisMachine);
  if (!hasCredentials) {
    const todo =
      'Create a user with readWrite on this database alone, switch authorization on, and put both into MONGODB_URI.';
    const text = 'MongoDB lets the gateway in without a password';
    yield isNear
      ? warning(`${text}, and with it every user of this machine.`, todo)
      : error(`${text}, over a network.`, todo);
  }
  if (!isNear && !isEncrypted) {
    const todo = 'Add tls=true to MONGODB_URI, unless the network itself is encrypted.';
    yield warning(
      'The connection to MongoDB is not encrypted: the network can read hashes and health data.',
      todo,
    );
  }
}
