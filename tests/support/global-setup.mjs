import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DryMongoBinary, MongoMemoryServer } from 'mongodb-memory-server';
import { parse } from 'yaml';
import { buildHere } from '../../scripts/build/build-here.js';

/** A machine without the download host must not wait for it. */
const DECISION_MILLIS = 2_000;

/**
 * The set-up of most tiers, on TEST_MONGODB_URI, or a real mongod if one is available, or the embedded engine of this repository.
 */
export default async function globalSetup() {
  await setUpOn(async () => (await givenDatabase()) ?? (await realMongod()) ?? (await embeddedEngine()));
}

/**
 * Builds what has changed, and starts the database of a test run, which the first line of output names.
 * @param choose starts the database; it runs when everything is built
 */
export async function setUpOn(choose) {
  const delay = delayOfAnswers();
  // The tests import what is built (jest-resolver.cjs), also after `npx jest`.
  await buildHere(['gateway', 'packages']);
  const database = await choose();
  process.env.TEST_DATABASE_URI = database.uri;
  // The names of this run's databases contain this id, so that parallel runs share nothing.
  process.env.TEST_RUN_ID = randomBytes(4).toString('hex');
  // The tests of the faults tier note their retries here.
  process.env.TEST_RETRIES_FILE = path.join(tmpdir(), `auth-gateway-retries-${process.env.TEST_RUN_ID}`);
  await writeFile(process.env.TEST_RETRIES_FILE, '');
  globalThis.stopTestDatabase = database.stop;
  process.stdout.write(`Test database: ${database.description}${delay}\n`);
  await parseOpenApi();
}

/** Checks TEST_DATABASE_DELAY_MS, which delayed-database.ts applies, and describes it. */
function delayOfAnswers() {
  const millis = process.env.TEST_DATABASE_DELAY_MS;
  if (!millis) {
    return '';
  }
  if (!/^[1-9]\d{0,3}$/.test(millis)) {
    throw new Error('TEST_DATABASE_DELAY_MS must be a number of milliseconds from 1 to 9999');
  }
  if (process.env.TEST_MONGODB_URI?.startsWith('mongodb+srv:')) {
    throw new Error('TEST_DATABASE_DELAY_MS needs a TEST_MONGODB_URI that names a server: mongodb://…');
  }
  return `, each answer ${millis} ms late`;
}

/** Saves schema/openapi.yaml as JSON, because all test files read it, and to parse YAML takes a quarter of a second. */
async function parseOpenApi() {
  const document = parse(await readFile('schema/openapi.yaml', 'utf8'));
  process.env.TEST_OPENAPI_FILE = path.join(tmpdir(), `auth-gateway-openapi-${process.env.TEST_RUN_ID}.json`);
  await writeFile(process.env.TEST_OPENAPI_FILE, JSON.stringify(document));
}

export async function givenDatabase() {
  const uri = process.env.TEST_MONGODB_URI;
  if (!uri) {
    return undefined;
  }
  // Without user and password: the line ends up in CI logs.
  const shown = uri.replace(/\/\/[^@/]*@/, '//');
  return { uri, description: `the MongoDB of TEST_MONGODB_URI, ${shown}`, stop: async () => {} };
}

async function realMongod() {
  const signal = AbortSignal.timeout(DECISION_MILLIS);
  if (!((await isCached()) || (await isDownloadable(signal)))) {
    return undefined;
  }
  try {
    const server = await MongoMemoryServer.create();
    const { version = 'of unknown version' } = server.instanceInfo?.instance.binaryOpts ?? {};
    return {
      uri: server.getUri(),
      description: `mongod ${version} by mongodb-memory-server`,
      stop: async () => void (await server.stop()),
    };
  } catch (error) {
    process.stdout.write(`No mongod: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

/** Checks for a cached archive without a download. */
async function isCached() {
  try {
    return (await DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions())) !== undefined;
  } catch {
    return false;
  }
}

/** Requests the archive that the library would download, from the configured host. */
async function isDownloadable(signal) {
  try {
    const { MongoBinaryDownloadUrl } = await import(
      'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js'
    );
    const options = await DryMongoBinary.generateOptions();
    const url = await new MongoBinaryDownloadUrl(options).getDownloadUrl();
    return (await fetch(url, { method: 'HEAD', signal })).ok;
  } catch {
    return false;
  }
}

export async function embeddedEngine() {
  // The built engine, because it runs in a worker thread, which needs JavaScript.
  const { startEmbeddedMongo } = await import('../../packages/embedded-mongo/dist/index.js');
  const engine = await startEmbeddedMongo({ path: ':memory:' });
  return {
    uri: engine.uri,
    description: `the embedded engine at ${engine.uri} (no mongod within reach)`,
    stop: () => engine.stop(),
  };
}
