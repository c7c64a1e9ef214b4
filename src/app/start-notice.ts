import type { Config } from '../config/config.ts';
import type { Addresses } from './app.ts';

/** `json` for programs in production, `line` for other outputs that are no terminal, `block` for people at a terminal. */
export type NoticeForm = 'json' | 'line' | 'block';

/** What the gateway prints when it is ready: all addresses and folders. It ends with a line break, and has no secret. */
export function startNotice(addresses: Addresses, config: Config, form: NoticeForm): string {
  if (form === 'json') {
    return `${JSON.stringify({ level: 30, time: new Date(), msg: READY, ...placesOf(addresses, config) })}\n`;
  }
  const places = labelled(addresses, config);
  if (form === 'line') {
    return `${READY}: ${places.map(([label, place]) => `${label} ${place}`).join(', ')}\n`;
  }
  const width = Math.max(...places.map(([label]) => label.length)) + 2;
  const lines = places.map(([label, place]) => `  ${capitalized(label).padEnd(width)}${place}\n`);
  return `\n${READY}\n\n${lines.join('')}\n`;
}

const READY = 'auth-gateway is ready';

/** For programs: `address` is where it listens, the others begin with BASE_URL, if that is set. */
function placesOf(
  { address, baseUrl, metrics }: Addresses,
  { pages, people, database, backup, storageDir, s3 }: Config,
) {
  return {
    graphql: `${baseUrl}/graphql`,
    rest: `${baseUrl}/api/v1/auth`,
    ...(pages ? { start: `${baseUrl}/`, docs: `${baseUrl}/docs` } : {}),
    ...(people ? { people: people.url } : {}),
    address,
    ...(metrics === undefined ? {} : { metrics: `${metrics}/metrics` }),
    database: database.kind,
    ...(database.kind === 'embedded' ? { data: database.dataDir } : {}),
    ...(backup ? { backups: backup.dir } : {}),
    documents: s3 ? `s3://${s3.bucket}` : storageDir,
  };
}

/** For people and for tests: what a place is, and the place. Beside BASE_URL, the address that it listens on is a place. */
function labelled(addresses: Addresses, config: Config): [label: string, place: string][] {
  const { address, baseUrl } = addresses;
  const { graphql, rest, start, docs, people, metrics, backups, documents } = placesOf(addresses, config);
  const all: [string, string | undefined][] = [
    ['GraphQL', graphql],
    ['REST', rest],
    ['start page', start],
    ['documentation', docs],
    ['pages for people', people],
    ['data', dataOf(config)],
    ['backups', backups && `${backups} (of the data, not of the documents)`],
    ['documents', documents],
    ['listening on', address === baseUrl ? undefined : address],
    ['metrics', metrics],
  ];
  return all.filter((place): place is [string, string] => place[1] !== undefined);
}

function dataOf({ database }: Config): string {
  switch (database.kind) {
    case 'mongodb':
      return 'MongoDB (MONGODB_URI)';
    case 'embedded':
      return `${database.dataDir} (embedded database)`;
    case 'memory':
      return 'in memory (gone when the gateway ends)';
  }
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
