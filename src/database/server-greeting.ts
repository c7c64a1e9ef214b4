import type { Connection } from 'mongoose';
import { dbOf } from './connect.ts';
import { type LimitedConnection, withinLimit } from './exchange-limit.ts';

/** The fields of `hello` that are looked at. https://www.mongodb.com/docs/manual/reference/command/hello/ */
export interface Greeting {
  setName?: string;
  hosts?: string[];
  passives?: string[];
  arbiters?: string[];
  msg?: string;
  isWritablePrimary?: boolean;
  localTime?: Date;
}

/** Asks the server about itself. The times are in milliseconds since the epoch. */
export async function greetingOf({ connection, limit }: LimitedConnection) {
  const admin = dbOf(connection).admin();
  const { version } = await withinLimit(admin.command({ buildInfo: 1 }), limit);
  const askedAtMillis = Date.now();
  const greeting: Greeting = await withinLimit(admin.command({ hello: 1 }), limit);
  const answeredAtMillis = Date.now();
  const atMillis = greeting.localTime?.getTime() ?? answeredAtMillis;
  return { greeting, version: String(version), askedAtMillis, answeredAtMillis, atMillis };
}

/** How a connection reaches its servers. */
export interface Connecting {
  /** The hosts of the connection string. A socket of the file system has no host. */
  hosts: (string | undefined)[];
  hasCredentials: boolean;
  /** True with TLS. */
  isEncrypted: boolean;
}

/** How a connection reaches its servers, by its connection string. */
export function connectingOf(connection: Connection): Connecting {
  const { hosts, credentials, tls } = connection.getClient().options;
  return {
    hosts: hosts.map(({ host }) => host),
    hasCredentials: credentials !== undefined,
    isEncrypted: tls,
  };
}

/** Asks the server for a sign of life. */
export async function ping({ connection, limit }: LimitedConnection): Promise<void> {
  await withinLimit(dbOf(connection).admin().ping(), limit);
}
