import { utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DOCUMENT_GROUPS } from '../../../src/documents/document-store.ts';
import { newStoredPath } from '../../../src/documents/stored-path.ts';
import { newId } from '../../../src/stores/accounts.ts';
import type { Storage } from '../../documents/support/aftermath.ts';
import { EMPTY_PROFILE } from '../../support/people.ts';

/**
 * Makes the orphans of registrations of doctors that a crash interrupts before the last step.
 * @param count of registrations; each is an upload, three documents, a profile and a token
 * @returns the files, relative to the storage folder
 */
export async function leaveOrphans(
  { database, storageDir }: Storage,
  count: number,
  createdAt: Date,
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const orphans = ids.map((id) => ({
    id,
    paths: DOCUMENT_GROUPS.map((group) => newStoredPath(group, 'pdf')),
  }));
  const files = orphans.flatMap(({ id, paths }) => [`.quarantine/${id}`, ...paths]);
  for (const file of files) {
    await writeFile(path.join(storageDir, file), 'orphan');
    await utimes(path.join(storageDir, file), createdAt, createdAt);
  }
  await database.profiles.insertMany(
    orphans.map(
      ({ id, paths: [licenseFilePath = '', diplomaFilePath = '', certificationFilePath = ''] }) => ({
        _id: id,
        specialization: 'Cardiology',
        licenseNumber: 'MD-12345',
        licenseFilePath,
        diplomaFilePath,
        certificationFilePath,
        ...EMPTY_PROFILE,
        createdAt,
      }),
    ),
  );
  await database.tokens.insertMany(
    ids.map((accountId) => ({
      _id: newId(),
      accountId,
      name: 'doctor-token',
      secretHash: '',
      abilities: null,
      createdAt,
      lastUsedAt: null,
      expiresAt: null,
      idleExpiresAt: null,
    })),
  );
  return files;
}

/** Gives orphans an account, so that they look like old, successful registrations. */
export async function adopt({ database }: Storage): Promise<void> {
  const profiles = await database.profiles.find().project<{ _id: string }>({ _id: 1 }).toArray();
  await database.accounts.insertMany(
    profiles.map(({ _id }) => ({
      _id,
      name: 'Dr. Doc Tor',
      email: `${_id}@example.org`,
      emailKey: `${_id}@example.org`,
      phone: null,
      role: 'doctor' as const,
      passwordHash: '',
      createdAt: new Date(),
      disabledAt: null,
    })),
  );
}
