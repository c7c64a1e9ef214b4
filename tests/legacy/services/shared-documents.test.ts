import { existsSync } from 'node:fs';
import path from 'node:path';
import { jest } from '@jest/globals';
import { REVIEW_DECISIONS } from '../../../src/auth/reviews/decisions.ts';
import type { LegacyContext } from '../../../src/legacy/legacy-context.ts';
import { sync } from '../../../src/legacy/sync/sync.ts';
import { aPdf } from '../../support/documents.ts';
import { authenticated } from '../../support/expectations.ts';
import { restApi } from '../../support/rest-api.ts';
import { resubmit } from '../../support/reviews.ts';
import { storedDocuments } from '../../support/test-app.ts';
import { runImport, runSync } from '../support/life/commands.ts';
import { addDoctor, openWorld, type World } from '../support/life/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.stop());

const setLicense = (id: number, license: string) =>
  world.legacy.query('UPDATE doctor_profiles SET license_file_path = ? WHERE id = ?', [license, id]);

/** A round that opens this document to take it over gets it after documents were removed. */
function removeAfterOpen({ documents, stores: { doctors } }: LegacyContext, shared: string): void {
  const open = documents.open.bind(documents);
  const remove = doctors.removeUnnamedFiles.bind(doctors);
  let noteRemoval = () => {};
  const removed = new Promise<void>((resolve) => {
    noteRemoval = resolve;
  });
  jest.spyOn(documents, 'open').mockImplementation(async (storedPath) => {
    const found = await open(storedPath);
    await (storedPath === shared && found ? removed : undefined);
    return found;
  });
  jest.spyOn(doctors, 'removeUnnamedFiles').mockImplementation(async (...words) => {
    await remove(...words);
    noteRemoval();
  });
}

test('a document stays if one doctor gives it up while another one, of another batch, gets it', async () => {
  const [shared = '', other = '', third = '', diploma = ''] = world.files;
  await addDoctor(world, 1, { license_file_path: shared, diploma_file_path: diploma });
  await runImport(world, undefined);
  await addDoctor(world, 2, { license_file_path: other, diploma_file_path: diploma });
  await runSync(world);
  await setLicense(1, third);
  await setLicense(2, shared);

  await world.command(undefined, async (context) => {
    const { _id } = await context.journal.runs.begin('sync', new Date());
    removeAfterOpen(context, shared);
    await sync(context, _id);
  });

  expect(await world.app.database.profiles.findOne({ _id: '2' })).toMatchObject({ licenseFilePath: shared });
  expect(existsSync(path.join(world.app.storageDir, shared))).toBe(true);
});

test('a document stays that waits for a decision beside a new one, although its row names another one', async () => {
  await world.reset();
  const [license = '', diploma = '', other = ''] = world.files;
  await addDoctor(world, 3, { license_file_path: license, diploma_file_path: diploma });
  await runImport(world, undefined);
  const { reviews, operator, app } = world;
  const rejection = { id: '3', revision: 0, decision: REVIEW_DECISIONS.REJECT, reason: 'Unreadable.' };
  await (await reviews.decide({ ...rejection, documents: ['license'] }, operator.operator)).written;
  const login = { email: 'doctor.3@example.org', password: world.passwords[0]?.password ?? '' };
  const { token } = authenticated(await restApi(app.url).login(login));
  expect((await resubmit(app, token, { licenseFile: aPdf() })).errors).toBeUndefined();

  await world.legacy.query('UPDATE doctor_profiles SET diploma_file_path = ?', [other]);
  await runSync(world);

  const profile = await app.database.profiles.findOne({ _id: '3' });
  expect(profile).toMatchObject({ diplomaFilePath: other, resubmitted: { diplomaFilePath: diploma } });
  expect(await storedDocuments(app)).toEqual(expect.arrayContaining([license, diploma, other]));
});
