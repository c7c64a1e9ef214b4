import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Outcome, throughEachApi } from '../../support/apis.ts';
import { expectInvalid, refused, registeredDoctor } from '../../support/expectations.ts';
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

  test.each(['licenses', 'diplomas', 'certifications'])(
    'a registration without the folder of the %s leaves nothing behind',
    async (group) => {
      const folder = path.join(app.storageDir, group);
      await expectNothingLeft(
        () => rm(folder, { recursive: true }),
        () => mkdir(folder),
      );
    },
  );

  test.each(['licenses', 'diplomas', 'certifications'])(
    'a registration with a file in place of the %s leaves nothing behind',
    async (group) => {
      const folder = path.join(app.storageDir, group);
      await expectNothingLeft(
        async () => {
          await rm(folder, { recursive: true });
          await writeFile(folder, '');
        },
        async () => {
          await rm(folder);
          await mkdir(folder);
        },
      );
    },
  );

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

  test('a registration with a taken e-mail leaves nothing behind', async () => {
    const doctor = aDoctor();
    registeredDoctor(await registerDoctor(doctor));
    const before = await inventoryOf(app);
    expectInvalid(await registerDoctor(aDoctor({ email: doctor.email })), {
      email: ['The email has already been taken.'],
    });
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('a registration with a refused document leaves nothing behind', async () => {
    const before = await inventoryOf(app);
    const certificationFile = { name: 'certification.exe', bytes: Buffer.from('MZ') };
    refused(await registerDoctor(aDoctor({ certificationFile })), 'validation');
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });
});
