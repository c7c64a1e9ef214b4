import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { MongoClient } from 'mongodb';
import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { jsonOf, send } from '../support/http.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { DISKS } from './support/disks.ts';

const workshop = useWorkshop();

const MEBIBYTE = 1_048_576;
/** So much that its backup takes a good part of a second. */
const MEBIBYTES = 256;

const inWorkshop = (...names: string[]) => path.join(workshop.folder, ...names);

const start = (settings: Record<string, string> = {}): GatewayProcess =>
  workshop.start({
    MONGODB_URI: undefined,
    BACKUP_DIR: inWorkshop('backups'),
    PAGES: 'off',
    RATE_LIMIT: 'off',
    ...settings,
  });

const backups = (): Promise<string[]> => readdir(inWorkshop('backups')).catch(() => []);

const untilBackupRuns = (): Promise<void> =>
  eventually(async () => expect(await backups()).toEqual([expect.stringContaining('.partial-')]));

/** Makes a database that takes long to copy. */
async function fillDatabase(): Promise<void> {
  const engine = await startEmbeddedMongo({ path: inWorkshop('data') });
  const client = await MongoClient.connect(engine.uri);
  for (let written = 0; written < MEBIBYTES; written += 8) {
    const documents = Array.from({ length: 8 }, () => ({ bytes: randomBytes(MEBIBYTE) }));
    await client.db('other').collection('ballast').insertMany(documents);
  }
  await client.close();
  await engine.stop();
}

describe('a backup under way', () => {
  beforeAll(fillDatabase);
  afterEach(() => rm(inWorkshop('backups'), { recursive: true, force: true }));

  test('a stop ends a backup at once, and the next start makes it, while people register', async () => {
    const gateway = start({ STOP_GRACE_SECONDS: '0' });
    await gateway.url();
    await untilBackupRuns();
    expect([await gateway.stop(), gateway.stderr]).toEqual([0, '']);
    expect(gateway.stdout).not.toContain('the backup failed');
    expect(await backups()).toEqual([]);

    const again = start();
    const api = restApi(await again.url());
    await untilBackupRuns();
    authenticated(await api.registerPatient(aPatient()));
    expect(again.stdout).not.toContain('a backup of the database was made');
    await again.printed('a backup of the database was made');
    expect(await backups()).toEqual([expect.stringMatching(/Z-[0-9a-f]{12}$/)]);
    expect(await again.stop()).toBe(0);
  });

  test('what a kill leaves of a backup is never taken for one, and the next start removes it', async () => {
    const gateway = start();
    await gateway.url();
    await untilBackupRuns();
    // Its process would notice the death of the gateway. If the power fails, both are gone at once.
    const pid = Number((await backups())[0]?.split('.partial-')[1]);
    process.kill(pid, 'SIGSTOP');
    await gateway.kill();
    process.kill(pid, 'SIGKILL');
    expect(await backups()).toEqual([expect.stringContaining('.partial-')]);

    const again = start();
    await again.url();
    await again.printed('a backup of the database was made');
    const [name = '', ...others] = await backups();
    expect([name, others]).toEqual([expect.stringMatching(/Z-[0-9a-f]{12}$/), []]);
    expect(JSON.parse(await readFile(inWorkshop('backups', name, 'backup.json'), 'utf8'))).toHaveProperty(
      'sha256',
    );
    expect(await again.stop()).toBe(0);
  });
});

// A limit on the files of the process would be one for its database, too.
const fileSystems = DISKS.filter(({ name }) => name.includes('file system'));

test.each(fileSystems)(
  'a gateway whose disk for backups is full keeps running, and leaves nothing half',
  async ({ openDisk }) => {
    const disk = await openDisk();
    const settings = { BACKUP_DIR: disk.folder, DATA_DIR: inWorkshop('small') };
    try {
      await disk.fill(process.pid);
      const gateway = start(settings);
      const url = await gateway.url();
      await gateway.printed('the backup failed');
      expect(gateway.stdout).toMatch(/ENOSPC|no space left/i);
      expect(await readdir(disk.folder)).toEqual(['filler']);
      authenticated(await restApi(url).registerPatient(aPatient()));
      const { checks } = jsonOf<{ checks: object }>(await send(`${url}/readyz`));
      expect(checks).toMatchObject({ database: 'ok', backup: 'has failed, and there is none' });
      expect(await gateway.stop()).toBe(0);

      await disk.makeRoom(process.pid);
      const again = start(settings);
      await again.printed('a backup of the database was made');
      expect(await again.stop()).toBe(0);
    } finally {
      await disk.remove();
    }
  },
);
