import { randomBytes } from 'node:crypto';
import { utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStorage } from '../../src/app/storage.ts';
import { newStoredPath } from '../../src/documents/stored-path.ts';
import { systemClock } from '../../src/system/clock.ts';
import { configOn, filesBelow, letTwoHoursPass, type Storage } from '../documents/support/aftermath.ts';
import { startS3Server } from '../documents/support/s3-server.ts';
import { openTestDatabase } from '../support/database.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { DISKS } from './support/disks.ts';
import { dyingAt } from './support/killed-at.ts';

const workshop = useWorkshop();
const storage = (): Storage => ({
  database: workshop.database,
  storageDir: path.join(workshop.folder, 'storage'),
});

/** Starts a gateway, and lets it end when its first sweep is over. */
async function sweepOnce(settings: Record<string, string> = {}): Promise<void> {
  const gateway = workshop.start({ LOG_LEVEL: 'debug', ...settings });
  await gateway.url();
  await gateway.printed('the sweep ');
  await gateway.stop();
}

/** The stored paths of a document and its trash, whichever has it. */
const placesOf = async (root: string) =>
  new Set((await filesBelow(root)).map((file) => file.replace(/^\.trash\//, '')));

/** Registers two doctors, and takes the account of one away. */
async function loseAnAccount(settings: Record<string, string> = {}) {
  const gateway = workshop.start({ RATE_LIMIT: 'off', ...settings });
  const api = restApi(await gateway.url());
  const [lost] = [
    registeredDoctor(await api.registerDoctor(aDoctor())),
    registeredDoctor(await api.registerDoctor(aDoctor())),
  ];
  await gateway.stop();
  const { accounts, profiles } = workshop.database;
  const _id = lost.account.id;
  const [account, profile] = [await accounts.findOne({ _id }), await profiles.findOne({ _id })];
  if (!account || !profile) {
    throw new Error('the doctor is not stored');
  }
  await accounts.deleteOne({ _id });
  const paths = [profile.licenseFilePath, profile.diplomaFilePath, profile.certificationFilePath ?? ''];
  return { account, profile, paths };
}

// kill-while-removing.test.ts ends a sweep before each of its steps.
test.each(['touched document orphan 1', 'moved document orphan 3', 'answered update swept_profiles 1'])(
  'a sweep that is killed (%s) loses nothing, and all comes back with the account',
  async (moment) => {
    const { storageDir } = storage();
    const { account, paths } = await loseAnAccount();
    await letTwoHoursPass(storage());
    const stored = await workshop.database.profiles.findOne({ _id: account._id });
    const before = (await filesBelow(storageDir)).filter((file) => /^[a-z]/.test(file));
    const victim = workshop.start(dyingAt(moment, 'start'));
    expect(await victim.exitCode()).toBeNull();
    const places = await placesOf(storageDir);
    expect(paths.filter((one) => !places.has(one))).toEqual([]);
    // What is left of it is done by the next sweep.
    await letTwoHoursPass(storage());
    await sweepOnce();
    expect((await filesBelow(storageDir)).filter((file) => paths.includes(file))).toEqual([]);

    await workshop.database.accounts.insertOne(account);
    await sweepOnce();
    expect((await filesBelow(storageDir)).filter((file) => /^[a-z]/.test(file))).toEqual(before);
    const restored = await workshop.database.profiles.findOne({ _id: account._id });
    expect(restored).toEqual({ ...stored, createdAt: expect.any(Date) });
  },
);

test('a sweep that is killed between the copy and the removal in S3 loses nothing', async () => {
  let isHeld = false;
  let reached = () => {};
  const removal = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const server = await startS3Server(async ({ method, url }) => {
    if (isHeld && method === 'DELETE' && !url?.includes('.trash')) {
      reached();
      await new Promise(() => {});
    }
  });
  const root = path.join(server.directory, 'documents');
  try {
    const { account, profile, paths } = await loseAnAccount(server.settings);
    const past = new Date(Date.now() - 7_200_000);
    for (const file of await filesBelow(root)) {
      await utimes(path.join(root, file), past, past);
    }
    await letTwoHoursPass(storage());
    isHeld = true;
    const victim = workshop.start(server.settings);
    await removal;
    await victim.kill();
    isHeld = false;
    const places = await placesOf(root);
    expect(paths.filter((one) => !places.has(one))).toEqual([]);

    await workshop.database.accounts.insertOne(account);
    await sweepOnce(server.settings);
    const gateway = workshop.start(server.settings);
    const url = await gateway.url();
    for (const one of paths) {
      expect((await send(`${url}/storage/${one}`)).status).toBe(200);
    }
    expect(await workshop.database.profiles.countDocuments({ _id: profile._id })).toBe(1);
    await gateway.stop();
  } finally {
    await server.stop();
  }
});

for (const { name, openDisk } of DISKS.filter(({ name }) => name === 'a file system of its own')) {
  test(`a full disk (${name}) loses no document, and the sweep needs no space to move them`, async () => {
    const disk = await openDisk();
    const database = await openTestDatabase();
    const opened = await openStorage(configOn({ database, storageDir: disk.folder }), systemClock);
    try {
      const past = new Date(Date.now() - 7_200_000);
      const orphans = [newStoredPath('licenses', 'pdf'), newStoredPath('diplomas', 'pdf')];
      for (const one of orphans) {
        await writeFile(path.join(disk.folder, one), randomBytes(9_000));
        await utimes(path.join(disk.folder, one), past, past);
      }
      await disk.fill(process.pid);
      await opened.sweep.run().catch(() => {});
      const places = await placesOf(disk.folder);
      expect(orphans.filter((one) => !places.has(one))).toEqual([]);
      await disk.makeRoom(process.pid);
      await opened.sweep.run();
      expect(await opened.sweep.restore()).toHaveLength(2);
    } finally {
      await opened.close();
      await database.drop();
      await disk.remove();
    }
  });
}
