import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sweep } from '../../documents/support/aftermath.ts';
import { aPdf } from '../../support/documents.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { aDoctor } from '../../support/people.ts';
import { newReviewer, openDoctor } from '../../support/reviews.ts';
import { runImport, runSync } from '../support/life/commands.ts';
import { addDoctor, openWorld, type World } from '../support/life/world.ts';

// A reviewer sees who has the license number or a document of somebody who came from the legacy service.
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.stop());
beforeEach(() => world.reset());

const set = (id: number, values: object) =>
  world.legacy.query('UPDATE doctor_profiles SET ? WHERE id = ?', [values, id]);
const stored = (_id: number) => world.app.database.profiles.findOne({ _id: String(_id) });
const hashesOf = async (id: number) =>
  (await stored(id))?.documentHashes?.map((one) => [one.path, one.sha256]) ?? [];
const hashOf = async (file: string) =>
  createHash('sha256')
    .update(await readFile(path.join(world.filesDir, file)))
    .digest('hex');

async function othersOf(id: string) {
  const reviewer = await newReviewer(world.app);
  return (await openDoctor(world.app, reviewer.token, id)).others;
}

test('an import stores the keys of numbers and the hashes of documents', async () => {
  const [file = ''] = world.files;
  await addDoctor(world, 1, { license_number: 'MD 1-a', license_file_path: file });
  await addDoctor(world, 2, {
    license_number: 'n/a',
    license_file_path: 'doctor_profiles/licenses/missing.pdf',
  });
  await runImport(world, undefined);
  expect(await hashesOf(1)).toEqual([[file, await hashOf(file)]]);
  expect(await stored(1)).not.toHaveProperty('unhashed');
  expect(await stored(2)).toMatchObject({ unhashed: expect.any(String) });
  expect(await stored(2)).not.toHaveProperty('licenseKeys');
  const licenseFile = { name: 'copy.pdf', bytes: await readFile(path.join(world.filesDir, file)) };
  const copied = aDoctor({ licenseNumber: 'md1A', licenseFile });
  const { account } = registeredDoctor(await graphqlApi(world.app.url).registerDoctor(copied));
  const both = { hasSameLicenseNumber: true, hasSameDocument: true };
  expect(await othersOf(String(account.id))).toMatchObject([{ id: '1', ...both }]);
  expect(await othersOf('1')).toMatchObject([{ id: String(account.id), ...both }]);
});

test('a sync stores both of new rows and of changed ones, and a number that is none leaves no key', async () => {
  const [first = '', second = '', third = ''] = world.files;
  await addDoctor(world, 1, { license_number: 'MD-1', license_file_path: first });
  await runImport(world, undefined);
  const before = await stored(1);
  await addDoctor(world, 2, { license_number: 'MD-2', license_file_path: second });
  await set(1, { license_file_path: third, license_number: 'md 2' });
  await runSync(world);
  expect(await hashesOf(2)).toEqual([[second, await hashOf(second)]]);
  expect(await hashesOf(1)).toEqual([[third, await hashOf(third)]]);
  const [one, two] = [await stored(1), await stored(2)];
  expect(one?.licenseKeys).toEqual(two?.licenseKeys);
  expect(one?.licenseKeys).not.toEqual(before?.licenseKeys);
  for (const profile of [one, two]) {
    expect(profile).not.toHaveProperty('unhashed');
  }
  await set(1, { license_number: 'unknown' });
  await runSync(world);
  expect(await stored(1)).not.toHaveProperty('licenseKeys');
  expect(await hashesOf(1)).toEqual([[third, await hashOf(third)]]);
});

test('the hash of a document that a sync replaces under its name ends at once, and the sweep makes the new one', async () => {
  const named = 'doctor_profiles/licenses/licence of doctor 1.pdf';
  const file = path.join(world.filesDir, named);
  await writeFile(file, aPdf().bytes);
  await addDoctor(world, 1, { license_number: 'MD-1', license_file_path: named });
  await runImport(world, undefined);
  expect(await hashesOf(1)).toEqual([[named, await hashOf(named)]]);
  await writeFile(file, Buffer.concat([aPdf().bytes, Buffer.alloc(100, 0x20)]));
  await runSync(world);
  expect(await hashesOf(1)).toEqual([]);
  await sweep(world.app);
  expect(await hashesOf(1)).toEqual([[named, await hashOf(named)]]);
});
