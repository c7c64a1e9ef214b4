import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { DryMongoBinary } from 'mongodb-memory-server';

/**
 * Finds a `mongod` of MongoDB, without a download.
 * @returns the path of TEST_MONGOD, else of what mongodb-memory-server has; undefined if there is none
 * @throws if TEST_MONGOD is not a file
 */
export async function findMongod() {
  const { TEST_MONGOD } = process.env;
  if (TEST_MONGOD) {
    process.env.MONGOMS_SYSTEM_BINARY = TEST_MONGOD;
  }
  try {
    return await DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions());
  } catch (error) {
    if (TEST_MONGOD) {
      throw error;
    }
    return undefined;
  }
}

/** The tests of a replica set, which start its members, and those of a user who may do little. The embedded engine has neither. */
const REPLICA_SET = 'tests/mongodb/replica-set.test.ts';
const USERS = 'tests/mongodb/least-privileges.test.ts';
/** The tests of what a server's profiler records. */
const PROFILER = 'tests/mongodb/query-plans.test.ts';

const TEST = /^ *test\(/gm;

/** The files that cannot run here, and how many tests they have. */
export async function testsLeftOut() {
  const hasMongod = (await findMongod()) !== undefined;
  // A server that is given has whatever users it has.
  const hasUsers = hasMongod && !process.env.TEST_MONGODB_URI;
  const hasServer = hasMongod || Boolean(process.env.TEST_MONGODB_URI);
  const files = [
    ...(hasMongod ? [] : [REPLICA_SET]),
    ...(hasUsers ? [] : [USERS]),
    ...(hasServer ? [] : [PROFILER]),
  ];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return { files, tests: texts.reduce((sum, text) => sum + (text.match(TEST) ?? []).length, 0) };
}

/**
 * Starts a `mongod` on loopback.
 * @param {{ mongod: string, port: number, folder: string, options?: string[] }} server `folder` keeps its data
 * @returns its process, once it accepts connections
 * @throws with its log, if it ends before that
 */
export async function startMongod({ mongod, port, folder, options = [] }) {
  const words = ['--port', String(port), '--dbpath', folder, '--bind_ip', '127.0.0.1', ...options];
  const child = spawn(mongod, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      log = (log + chunk).slice(-100_000);
      if (log.includes('Waiting for connections')) {
        resolve(undefined);
      }
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`mongod has ended with ${code}: ${log}`)));
  });
  child.stdout.removeAllListeners('data');
  child.stdout.resume();
  return child;
}
