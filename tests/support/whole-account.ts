import type { TestDocument } from './documents.ts';
import { wholeProfile } from './expectations.ts';
import { send } from './http.ts';
import type { aDoctor, aPatient } from './people.ts';
import { accountOf } from './session.ts';

/** A person who registers. */
export interface Registrant {
  /** The fields of the request, for a doctor including those of the profile. */
  person: ReturnType<typeof aPatient>;
  /** The documents of a doctor; undefined for a patient. */
  documents:
    | Pick<ReturnType<typeof aDoctor>, 'licenseFile' | 'diplomaFile' | 'certificationFile'>
    | undefined;
}

/** Checks that the account of a token is complete: the given fields, and a doctor's profile and three documents. */
export async function expectWhole(
  { person, documents }: Registrant,
  url: string,
  token: string,
): Promise<void> {
  const known = await accountOf(url, token);
  const role = documents ? 'DOCTOR' : 'PATIENT';
  expect(known).toMatchObject({ name: person.name, email: person.email, role });
  if (!documents) {
    return expect(known?.profile).toBeNull();
  }
  const { licenseFileUrl, diplomaFileUrl, certificationUrl } = wholeProfile(known?.profile);
  await expectServed(licenseFileUrl, documents.licenseFile);
  await expectServed(diplomaFileUrl, documents.diplomaFile);
  await expectServed(certificationUrl, documents.certificationFile);
}

async function expectServed(documentUrl: string, { bytes }: TestDocument): Promise<void> {
  const served = await send(documentUrl);
  expect(served.status).toBe(200);
  // Not toEqual, which is slow with so many bytes.
  expect(served.bytes.equals(bytes)).toBe(true);
}
