import { spawn } from 'node:child_process';
import path from 'node:path';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import { MongoClient } from 'mongodb';
import { type DatabaseProcess, startDatabaseProcess } from '../support/database-process.ts';
import { authenticated } from '../support/expectations.ts';
import { useWorkshop, watch } from '../support/gateway-process.ts';
import { aPatient } from '../support/people.ts';
import { runProgram } from '../support/program.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

storesWrongRecords();

const PRELOAD = new URL('support/kill-preload.mjs', import.meta.url).href;
/** So many batches of 1,000 that a move is not over before a signal arrives. */
const DOCUMENTS = 6_000;

const workshop = useWorkshop();

const folder = temporaryFolder();
let target: DatabaseProcess;
beforeAll(async () => {
  target = await startDatabaseProcess();
  const engine = await startEmbeddedMongo({ path: folder });
  const client = await MongoClient.connect(engine.uri);
  const accounts = client.db('auth_gateway').collection<{ _id: string; emailKey: string }>('accounts');
  await accounts.insertMany(
    Array.from({ length: DOCUMENTS }, (_, number) => ({
      _id: `${number}`,
      emailKey: `p${number}@example.org`,
    })),
  );
  await accounts.createIndex({ emailKey: 1 }, { unique: true });
  await client.close();
  await engine.stop();
});
afterAll(async () => {
  await target.stop();
});

const settings = (database: string) => ({
  DATA_DIR: folder,
  MONGODB_URI: target.uri.replace('/?', `/${database}?`),
});

/** Starts a move into a database of the target. */
const startMove = (database: string, killAt = 'never') => {
  const env = { PATH: process.env.PATH, TEST_KILL_AT: killAt, TEST_KILL_ARMED: 'on', ...settings(database) };
  const child = spawn(
    process.execPath,
    ['--import', PRELOAD, path.resolve('dist/auth-gateway.js'), 'db', 'move'],
    { env },
  );
  return { child, moving: watch(child) };
};

/** Moves the rest, and compares the target with the folder. */
async function finish(database: string): Promise<void> {
  expect(await runProgram('auth-gateway.js', ['db', 'move'], settings(database))).toMatchObject({ code: 0 });
  const client = await MongoClient.connect(target.uri);
  const found = await client.db(database).collection('accounts').find({}, { raw: true }).toArray();
  const names = (await client.db(database).listCollections().toArray()).map(({ name }) => name);
  const indexes = await client.db(database).collection('accounts').indexes();
  await client.close();
  const data = openDataFolder(folder);
  const wanted = data
    .collections()
    .flatMap(({ documents }) => [...documents()].map((raw) => `${raw.toString()}`));
  await data.close();
  expect(names).toEqual(['accounts']);
  expect(indexes).toHaveLength(2);
  expect(found.map((raw) => `${raw.toString()}`).sort()).toEqual(wanted.sort());
}

test('a move that is killed at every step can be continued, and no gateway starts before its end', async () => {
  const killed = async (moment: string) => {
    const { child, moving } = startMove('killed', moment);
    await moving.exitCode();
    expect([moment, child.signalCode, moving.stderr]).toEqual([moment, 'SIGKILL', expect.any(String)]);
  };
  const moments = [
    'answered update unfinished_move 1',
    'sent insert accounts 1',
    'answered insert accounts 3',
    'sent insert accounts 2',
    'sent createIndexes accounts 1',
    'answered createIndexes accounts 1',
  ];
  for (const moment of moments) {
    await killed(moment);
  }
  const gateway = workshop.start({ MONGODB_URI: settings('killed').MONGODB_URI });
  expect(await gateway.exitCode()).toBe(1);
  expect(gateway.stderr).toContain('auth-gateway db move was interrupted');
  await killed('sent drop unfinished_move 1');
  await finish('killed');
}, 300_000);

test('a move that is stopped, or loses its target, says so and can be continued', async () => {
  const stopped = startMove('stopped');
  await underWay(stopped);
  stopped.moving.signal('SIGINT');
  expect(await stopped.moving.exitCode()).toBe(1);
  expect(stopped.moving.stderr).toContain('Stopped. Run the same command again to continue.');

  const cutOff = startMove('stopped');
  await underWay(cutOff);
  target.signal('SIGKILL');
  await target.ended();
  expect(await cutOff.moving.exitCode()).toBe(1);
  expect(cutOff.moving.stderr).toContain('auth-gateway db move: The target is unreachable');

  await target.start();
  await finish('stopped');
}, 300_000);

/** Waits until the move has shown that it is under way. */
const underWay = ({ child, moving }: ReturnType<typeof startMove>) =>
  new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', () => {
      if (/Check|Copy/.test(moving.stderr)) {
        resolve();
      }
    });
    child.once('close', () => reject(new Error(`the move has ended: ${moving.stderr}`)));
  });

test('a folder that a gateway uses is refused, and its people are there after the move', async () => {
  const old = workshop.start({ MONGODB_URI: undefined });
  const { token } = authenticated(await restApi(await old.url()).registerPatient(aPatient()));
  const environment = workshop.environment() as Record<string, string>;
  const move = () => runProgram('auth-gateway.js', ['db', 'move'], environment);
  const inUse = expect.stringContaining(`in use by process ${old.pid}`);
  expect(await move()).toMatchObject({ code: 2, stderr: inUse });
  await old.stop();
  expect(await move()).toMatchObject({ code: 0 });
  const next = workshop.start();
  expect(await accountOf(await next.url(), token)).toBeDefined();
  expect(await next.stop()).toBe(0);
});
