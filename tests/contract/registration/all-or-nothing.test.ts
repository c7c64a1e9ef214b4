import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Outcome, throughEachApi } from '../../support/apis.ts';
import { refused, registeredDoctor } from '../../support/expectations.ts';
import { aDoctor, aPatient, type Fields } from '../../support/people.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../../support/test-app.ts';

// src/auth/registration.ts: documents, profile, token and account exist together
// or not at all. Every fault here is a real one.
const app = useTestApp();

throughEachApi((apiOf) => {
  const registerDoctor = (fields: Fields = aDoctor()) => apiOf(app.url).registerDoctor(fields);

  /** Checks that a registration fails in a way that nobody foresees, leaves nothing behind, and harms no later one. */
  async function expectNothingLeft(
    breakIt: () => Promise<unknown>,
    repair: () => Promise<unknown>,
    register: () => Promise<Outcome> = registerDoctor,
  ) {
    await breakIt();
    const before = await inventoryOf(app);
    try {
      const refusal = refused(await register(), 'unexpected');
      expect(refusal.message).toBe('Server Error');
      await expectQuarantineEmpty(app.storageDir);
      expect(await inventoryOf(app)).toEqual(before);
    } finally {
      await repair();
    }
    registeredDoctor(await registerDoctor());
  }

  test.each([
    ['no folder', 'licenses'],
    ['no folder', 'diplomas'],
    ['no folder', 'certifications'],
    ['a file in place of the folder', 'diplomas'],
  ])('a registration with %s of the %s leaves nothing behind', async (what, group) => {
    const folder = path.join(app.storageDir, group);
    await expectNothingLeft(
      async () => {
        await rm(folder, { recursive: true });
        await (what !== 'no folder' && writeFile(folder, ''));
      },
      async () => {
        await rm(folder, { force: true });
        await mkdir(folder);
      },
    );
  });

  test('a registration whose profile cannot be stored leaves nothing behind', async () => {
    const { profiles } = app.database;
    await profiles.deleteMany({});
    registeredDoctor(await registerDoctor());
    // A second profile of the same specialization breaks this index.
    await expectNothingLeft(
      () => profiles.createIndex({ specialization: 1 }, { unique: true }),
      () => profiles.dropIndex('specialization_1'),
    );
  });

  test.each(['doctor', 'patient'] as const)(
    'the registration of a %s whose token cannot be stored leaves nothing behind',
    async (role) => {
      const { tokens } = app.database;
      const register = () =>
        role === 'doctor' ? registerDoctor() : apiOf(app.url).registerPatient(aPatient());
      await tokens.deleteMany({});
      expect((await register()).ok).toBe(true);
      await expectNothingLeft(
        () => tokens.createIndex({ name: 1 }, { unique: true }),
        () => tokens.dropIndex('name_1'),
        register,
      );
    },
  );
});
