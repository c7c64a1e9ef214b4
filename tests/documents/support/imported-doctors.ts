import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DoctorStore } from '../../../src/stores/doctors.ts';
import type { TestDatabase } from '../../support/database.ts';
import { importAccount } from '../../support/legacy.ts';
import { EMPTY_PROFILE } from '../../support/people.ts';
import type { Storage } from './aftermath.ts';

/** The fields of a profile that name its documents. */
export const DOCUMENTS = ['licenseFilePath', 'diplomaFilePath', 'certificationFilePath'] as const;

/** Imports a doctor, by default without a certification, and gives what they log in with. */
export async function importDoctor(
  database: TestDatabase,
  id: string,
  [licenseFilePath, diplomaFilePath, certificationFilePath = null]: [string, string, (string | null)?],
  fields: Parameters<typeof importAccount>[2] = {},
) {
  const imported = await importAccount(database, id, fields);
  await database.accounts.updateOne({ _id: id }, { $set: { role: 'doctor' } });
  await database.profiles.insertOne({
    ...{ _id: id, specialization: 'Surgery', licenseNumber: 'L-1' },
    ...{ licenseFilePath, diplomaFilePath, certificationFilePath, ...EMPTY_PROFILE },
    createdAt: new Date('2024-02-29T12:00:00Z'),
  });
  return imported;
}

let made = 0;

/** Doctors of a legacy service in a storage, and what is left of them. */
export class ImportedDoctors {
  constructor(private readonly storage: Storage) {}

  /** A file of the legacy service that was copied. */
  async aFile(group: string): Promise<string> {
    made += 1;
    const name = `doctor_profiles/${group}/${String(made).padStart(40, '0')}.pdf`;
    const file = path.join(this.storage.storageDir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, name);
    return name;
  }

  /** An imported doctor, and another one who has the same diploma. */
  async importTwo() {
    const shared = await this.aFile('diplomas');
    const [doctor, other] = [await this.importOne(shared), await this.importOne(shared)];
    return { ...doctor, shared, other };
  }

  async importOne(diplomaFilePath: string) {
    made += 1;
    const id = String(made);
    const own: [string, string] = [await this.aFile('licenses'), await this.aFile('certifications')];
    const documents: [string, string, string] = [own[0], diplomaFilePath, own[1]];
    await importDoctor(this.storage.database, id, documents, { passwordHash: 'unusable' });
    return { id, own };
  }

  /** Removes an account, such as in the middle of the restore of a dump. @returns what brings it back */
  async forgetAccount(id: string): Promise<() => Promise<unknown>> {
    const { accounts } = this.storage.database;
    const account = await accounts.findOneAndDelete({ _id: id });
    return () => accounts.insertOne(account as never);
  }

  isThere(file: string): boolean {
    return existsSync(path.join(this.storage.storageDir, file));
  }

  isInTrash(file: string): boolean {
    return existsSync(path.join(this.storage.storageDir, '.trash', file));
  }

  /** Expects that no profile names a missing document, as far as callers can see it. */
  async expectNoMissingDocument(doctors: DoctorStore, ...ids: string[]): Promise<void> {
    for (const profile of (await doctors.findMany(ids)).values()) {
      const named = DOCUMENTS.map((field) => profile[field]).filter((file) => file !== null);
      expect(named.filter((file) => !this.isThere(file))).toEqual([]);
    }
  }

  /** Expects a doctor with all documents. */
  async expectWhole(doctors: DoctorStore, id: string): Promise<void> {
    expect(await doctors.find(id)).toBeDefined();
    await this.expectNoMissingDocument(doctors, id);
  }

  async expectNothingLeft(id: string, files: readonly string[]): Promise<void> {
    const { profiles, db } = this.storage.database;
    expect(await profiles.findOne({ _id: id })).toBeNull();
    expect(await db.collection('swept_profiles').findOne({ _id: id as never })).toBeNull();
    expect(files.filter((file) => this.isThere(file) || this.isInTrash(file))).toEqual([]);
  }
}
