import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { undo } from '../../../src/legacy/commands/undo.ts';
import { filesBelow, sweep } from '../../documents/support/aftermath.ts';
import { Killed } from '../../support/kill-switch.ts';
import { runImport, runSync } from '../support/life/commands.ts';
import { addDoctor, addProfile, openWorld, type World } from '../support/life/world.ts';

// src/stores/doctor-files.ts: no visible profile names a missing document, and after a kill the next command or
// the sweep of the gateway finds what is left.

const LONG_MILLIS = 600_000;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.stop());

const isThere = (file: string) => existsSync(path.join(world.app.storageDir, file));
const copiedFiles = async () =>
  (await filesBelow(world.app.storageDir)).filter((name) => /^(?:\.trash\/)?doctor_profiles\//.test(name));

const [LICENSE, OTHER_LICENSE, NEW_LICENSE, SHARED] = [0, 1, 2, 3] as const;
const file = (index: number) => world.files[index] ?? '';

const ofSecond = () => ({ license_file_path: file(LICENSE), diploma_file_path: file(SHARED) });

/** Two doctors in the legacy service who have the same diploma. The tests are about the second one. */
async function begin({ withProfile = true } = {}): Promise<void> {
  await world.reset();
  await world.app.database.db.collection('swept_profiles').deleteMany({});
  for (const copied of await copiedFiles()) {
    await rm(path.join(world.app.storageDir, copied));
  }
  await addDoctor(world, 1, { license_file_path: file(OTHER_LICENSE), diploma_file_path: file(SHARED) });
  await addDoctor(world, 2, withProfile ? ofSecond() : undefined);
  await runImport(world, undefined);
}

/** Runs a scene for each step of a command before which it can be killed, and once to its end. */
async function atEachStep(scene: (steps: number) => Promise<boolean>): Promise<void> {
  let steps = 0;
  while (await scene(steps)) {
    steps += 1;
  }
  expect(steps).toBeGreaterThan(10);
}

async function expectNoMissingDocument(): Promise<void> {
  const { accounts, profiles } = world.app.database;
  const existing = new Set(await accounts.distinct('_id'));
  const visible = (await profiles.find().toArray()).filter(
    ({ _id, removal }) => existing.has(_id) && !removal,
  );
  const named = visible.flatMap((profile) => [profile.licenseFilePath, profile.diplomaFilePath]);
  expect(named.filter((one) => !isThere(one))).toEqual([]);
}

const runOf = async (command: string): Promise<string> => {
  const runs = world.app.database.db.collection<{ _id: string }>('legacy_runs');
  return (await runs.findOne({ command }))?._id ?? '';
};

/** @returns true if it was killed */
const undoRun = (run: string, steps?: number): Promise<boolean> =>
  world
    .command(steps, (context) => undo(context, run))
    .then(
      () => false,
      (error: unknown) => {
        if (error instanceof Killed) {
          return true;
        }
        throw error;
      },
    );

test.each(['sync', 'sweep'])(
  'a document that a killed sync has replaced is removed by the next %s',
  (next) =>
    atEachStep(async (steps) => {
      await begin();
      const change = 'UPDATE doctor_profiles SET license_file_path = ? WHERE user_id = 2';
      await world.legacy.query(change, [file(NEW_LICENSE)]);
      const isKilled = (await runSync(world, steps)) === 'killed';
      await expectNoMissingDocument();
      if (next === 'sync') {
        await runSync(world);
        expect(isThere(file(LICENSE))).toBe(false);
      } else {
        await sweep(world.app);
        const profile = await world.app.database.profiles.findOne({ _id: '2' });
        expect(isThere(file(LICENSE))).toBe(profile?.licenseFilePath === file(LICENSE));
        expect(profile).not.toHaveProperty('replaced');
      }
      await expectNoMissingDocument();
      expect(isThere(file(SHARED))).toBe(true);
      return isKilled;
    }),
  LONG_MILLIS,
);

test.each(['undo', 'sweep'])(
  'what a killed undo of an import has left is removed by the next %s',
  (next) =>
    atEachStep(async (steps) => {
      await begin();
      const run = await runOf('import');
      const isKilled = await undoRun(run, steps);
      await expectNoMissingDocument();
      if (next === 'sweep') {
        await sweep(world.app);
        await expectNoMissingDocument();
        const { accounts, profiles } = world.app.database;
        expect(await profiles.distinct('_id')).toEqual(await accounts.distinct('_id'));
      }
      await undoRun(run);
      // A sweep may have moved a profile and its documents to the trash, from where they go after 30 days.
      expect(await world.app.database.count()).toEqual({ accounts: 0, profiles: 0, tokens: 0 });
      expect((await copiedFiles()).filter((name) => !name.startsWith('.trash/'))).toEqual([]);
      return isKilled;
    }),
  LONG_MILLIS,
);

test.each(['undo', 'sweep', 'sync'])(
  'a profile that a killed undo has begun to remove from its account is removed by the next %s',
  (next) =>
    atEachStep(async (steps) => {
      await begin({ withProfile: false });
      await addProfile(world, 2, ofSecond());
      await runSync(world);
      const run = await runOf('sync');
      const isKilled = await undoRun(run, steps);
      await expectNoMissingDocument();
      const { profiles } = world.app.database;
      const hasBegun = (await profiles.findOne({ _id: '2' }))?.removal !== undefined;
      if (next === 'undo') {
        await undoRun(run);
      } else if (next === 'sweep') {
        await sweep(world.app);
      } else {
        await runSync(world);
        expect(await profiles.countDocuments({ removal: { $exists: true } })).toBe(0);
      }
      const isHere = (await profiles.findOne({ _id: '2' })) !== null;
      expect([isHere, isThere(file(LICENSE))]).toEqual(isHere ? [true, true] : [false, false]);
      await expectNoMissingDocument();
      if (next === 'undo' || (next === 'sweep' && hasBegun)) {
        expect(await profiles.distinct('_id')).toEqual(['1']);
        expect(await copiedFiles()).toEqual([file(OTHER_LICENSE), file(SHARED)].sort());
      }
      return isKilled;
    }),
  LONG_MILLIS,
);
