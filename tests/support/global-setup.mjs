import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DryMongoBinary, MongoMemoryServer } from 'mongodb-memory-server';
import { parse } from 'yaml';

/** A machine without the download host must not wait for it (docs/architecture.md, "The database"). */
const DECISION_MILLIS = 2_000;

/**
 * Decides once per run which database the tests talk to, starts it, and says so in the first line of output:
 * TEST_MONGODB_URI, else a real mongod where one can be had, else the embedded engine of this package.
 */
export default async function globalSetup() {
  const database = (await givenDatabase()) ?? (await realMongod()) ?? (await embeddedEngine());
  process.env.TEST_DATABASE_URI = database.uri;
  // Databases of this run carry this in their names, so that runs beside each other share nothing.
  process.env.TEST_RUN_ID = randomBytes(4).toString('hex');
  // The tests of the faults tier note their retries here.
  process.env.TEST_RETRIES_FILE = path.join(tmpdir(), `auth-gateway-retries-${process.env.TEST_RUN_ID}`);
  await writeFile(process.env.TEST_RETRIES_FILE, '');
  globalThis.stopTestDatabase = database.stop;
  process.stdout.write(`Test database: ${database.description}\n`);
  await parseOpenApi();
}

/** Saves schema/openapi.yaml as JSON: all test files read it, and to parse YAML takes a quarter of a second. */
async function parseOpenApi() {
  const document = parse(await readFile('schema/openapi.yaml', 'utf8'));
  process.env.TEST_OPENAPI_FILE = path.join(tmpdir(), `auth-gateway-openapi-${process.env.TEST_RUN_ID}.json`);
  await writeFile(process.env.TEST_OPENAPI_FILE, JSON.stringify(document));
}

async function givenDatabase() {
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

/** Looks, but never downloads. */
async function isCached() {
  try {
    return (await DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions())) !== undefined;
  } catch {
    return false;
  }
}

/** Asks for the very archive that the library would download, wherever it is configured to find it. */
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

async function embeddedEngine() {
  // The built engine: it runs in a worker thread of its own, which is started from JavaScript.
  const { startEmbeddedMongo } = await import('../../packages/embedded-mongo/dist/index.js');
  const engine = await startEmbeddedMongo({ path: ':memory:' });
  return {
    uri: engine.uri,
    description: `the embedded engine at ${engine.uri} (no mongod within reach)`,
    stop: () => engine.stop(),
  };
}
