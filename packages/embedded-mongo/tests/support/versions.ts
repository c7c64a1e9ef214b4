import { MongoClient } from 'mongodb';

/** The versions of MongoDB for which something holds, such as `6.0`. */
export interface Versions {
  /** The first one; 8.0 where no source says when it changed. */
  since?: string;
  /** The first one for which it no longer holds. */
  until?: string;
}

/** The version of a server, such as `5.0.7`; undefined for the embedded engine, which answers as the newest MongoDB. */
export async function versionOf(uri: string | undefined): Promise<string | undefined> {
  if (uri === undefined) {
    return undefined;
  }
  const client = await new MongoClient(uri).connect();
  try {
    return (await client.db('admin').command({ buildInfo: 1 })).version;
  } finally {
    await client.close();
  }
}

/**
 * True if it holds for this version.
 * @param version of {@link versionOf}
 */
export const isOfVersion = (version: string | undefined, { since, until }: Versions): boolean =>
  version === undefined
    ? until === undefined
    : (since === undefined || !isOlder(version, since)) && (until === undefined || isOlder(version, until));

const isOlder = (version: string, other: string): boolean =>
  version.localeCompare(other, 'en', { numeric: true }) < 0;

/**
 * Prints how many tests are left out on a server; nothing for the embedded engine, which leaves out none.
 * @param version of {@link versionOf}
 */
export function printLeftOut(
  what: string,
  version: string | undefined,
  { left, all }: { left: number; all: number },
  print: (line: string) => void = (line) => process.stdout.write(line),
): void {
  if (version !== undefined) {
    print(`${what} on MongoDB ${version}: left out ${left} of ${all} tests of other versions\n`);
  }
}
