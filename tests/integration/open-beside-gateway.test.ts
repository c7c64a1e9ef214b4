import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openBesideGateway } from '../../src/database/open-beside-gateway.ts';
import type { DatabaseConfig } from '../../src/database/server.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { serve, servedUri } from '../support/gateway-process.ts';

let folder: string;
let config: DatabaseConfig;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-beside-'));
  config = { kind: 'embedded', dataDir: path.join(folder, 'data') };
});
afterEach(() => rm(folder, { recursive: true }));

const prepare = createIndexes;

test('a command that needs a database refuses a folder that has none, and makes nothing', async () => {
  await expect(openBesideGateway(config, { mayCreate: false })).rejects.toThrow(
    `There is no embedded database in ${path.join(folder, 'data')} (DATA_DIR)`,
  );
  expect(await readdir(folder)).toEqual([]);
});

test('a command that may create a database prepares it, and another command uses the engine of another process', async () => {
  const first = await openBesideGateway(config, { mayCreate: true, prepare });
  await first.connection.db?.collection('notes').insertOne({ text: 'kept' });
  await first.close();

  // Like a gateway, it locks the folder.
  const owner = serve(path.join(folder, 'data'), 0);
  const ended = once(owner, 'exit');
  try {
    await servedUri(owner);
    const second = await openBesideGateway(config, { mayCreate: false });
    const indexes = await second.connection.db?.collection('accounts').indexes();
    expect(indexes?.map(({ name }) => name)).toContain('emailKey_1');
    expect(await second.connection.db?.collection('notes').countDocuments()).toBe(1);
    await second.close();
  } finally {
    owner.kill();
    await ended;
  }
});
