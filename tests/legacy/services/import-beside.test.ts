import { readdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { run as runStorageSweep } from '../../../src/cli/sweep.ts';
import { allFiles } from '../../documents/support/aftermath.ts';
import { s3Store } from '../../documents/support/stores.ts';
import { named } from '../../support/database-messages.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { authenticated } from '../../support/expectations.ts';
import { useWorkshop } from '../../support/gateway-process.ts';
import { aPatient } from '../../support/people.ts';
import { collectOutputs } from '../../support/program.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { contentOf, useTarget, withoutMark } from '../support/legacy-command.ts';

const workshop = useWorkshop();
const store = s3Store('S3');
const target = useTarget({ isShared: true });
let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await startDatabaseProxy();
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await store.stop();
  await proxy?.stop();
});

const everything = () => ['import', '--yes', '--admins', 'skip', '--files', target.legacy.filesDir];

/** Makes all files look older than a sweep spares. The records of the test data are years old. */
async function ageFiles(folder: string): Promise<void> {
  const longAgo = new Date('2024-03-01T00:00:00Z');
  for (const file of await allFiles(folder)) {
    await utimes(path.join(folder, file), longAgo, longAgo);
  }
}

test.each(['update legacy_batches', 'insert doctor_profiles', 'insert access_tokens'])(
  'a sweep takes nothing from an import that waits for its %s',
  async (command) => {
    const held = proxy.hold(named(command));
    const running = target.start({ MONGODB_URI: proxy.through(target.database.uri) }, ...everything());
    await held.arrived(1);
    await ageFiles(target.storageDir);
    // The sweep makes a secret of its own.
    const content = async () => {
      const { doctor_profiles = [], ...others } = await contentOf(target.database);
      return { ...others, doctor_profiles: doctor_profiles.map(withoutMark), secrets: undefined };
    };
    const before: Record<string, unknown> = await content();
    const files = await allFiles(target.storageDir);
    expect(before.accounts).not.toEqual([]);
    const swept = await collectOutputs((outputs) => runStorageSweep([], () => target.settings, outputs));
    expect(swept).toEqual({ code: 0, stdout: 'Removed: nothing\n', stderr: '' });
    expect(await content()).toEqual(before);
    expect(await allFiles(target.storageDir)).toEqual(files);
    held.release();
    expect(await running.exitCode()).toBe(0);
  },
);

test('an import goes into the embedded database of a running gateway, which answers meanwhile', async () => {
  const settings = { DATA_DIR: target.dataDir, STORAGE_DIR: target.storageDir };
  const gateway = workshop.start({ ...settings, MONGODB_URI: undefined });
  const url = await gateway.url();
  const patient = aPatient();
  const { token } = authenticated(await restApi(url).registerPatient(patient));
  const running = target.start({ ...settings, MONGODB_URI: '' }, ...everything());
  let hasEnded = false;
  const ended = running.exitCode().finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    expect(await accountOf(url, token)).toMatchObject({ email: patient.email });
  }
  expect(await ended).toBe(0);
  const { crc32b } = target.legacy.tokens;
  expect(await accountOf(url, crc32b.plain)).toMatchObject({ id: String(crc32b.accountId) });
  const { email, password } = target.legacy.accounts.doctor;
  authenticated(await restApi(url).login({ email, password }));
});

test('files are taken over into S3', async () => {
  const settings = await store.start();
  const running = target.start(settings, ...everything());
  expect(await running.exitCode()).toBe(0);
  const bucket = await readdir(store.folder() ?? '', { recursive: true });
  const { license_file_path } = target.legacy.profiles.doctor;
  expect(bucket.filter((file) => file.includes(license_file_path))).not.toEqual([]);
  expect((await allFiles(target.folder)).filter((file) => file.includes('doctor_profiles'))).toEqual([]);
  const verified = target.start(settings, 'verify', '--files', target.legacy.filesDir);
  expect(await verified.exitCode()).toBe(0);
});
