import { randomUUID } from 'node:crypto';
import { type DoctorProfileTexts, OPTIONAL_TEXTS } from '../../src/stores/doctor-profile-record.ts';
import { aPdf, type TestDocument } from './documents.ts';
import { rememberPassword } from './response-record.ts';

/** The fields of a request, by camelCase name. `undefined` is not sent; a document is sent as a file. */
export type Fields = Record<string, unknown>;

/** A new e-mail address. */
export const freshEmail = (): string => `${randomUUID()}@example.org`;

/** A unique password, so that every leak of it is recognised. */
export function freshPassword(): string {
  const password = `Pw-${randomUUID()}`;
  rememberPassword(password);
  return password;
}

// Types, not interfaces: only those are Fields as well.
type PatientFields = {
  name: string;
  email: string;
  password: string;
};

type DoctorFields = PatientFields & {
  phone: string;
  specialization: string;
  licenseNumber: string;
  licenseFile: TestDocument;
  diplomaFile: TestDocument;
  certificationFile: TestDocument;
};

/** The required fields of a patient. Each call makes a new person. */
export const aPatient = <T extends Fields>(fields?: T): PatientFields & T =>
  ({ name: 'Pat Ient', email: freshEmail(), password: freshPassword(), ...fields }) as PatientFields & T;

/** The required fields of a doctor. Each call makes a new person with new documents. */
export const aDoctor = <T extends Fields>(fields?: T): DoctorFields & T =>
  ({
    ...aPatient(),
    name: 'Dr. Doc Tor',
    phone: '+1 555 0100',
    specialization: 'Cardiology',
    licenseNumber: 'MD-12345',
    licenseFile: aPdf('license.pdf'),
    diplomaFile: aPdf('diploma.pdf'),
    certificationFile: aPdf('certification.pdf'),
    ...fields,
  }) as DoctorFields & T;

type OptionalText = {
  [name in keyof DoctorProfileTexts]: null extends DoctorProfileTexts[name] ? name : never;
}[keyof DoctorProfileTexts];

const eachOptionalText = <T>(make: (name: string) => T) =>
  Object.fromEntries(OPTIONAL_TEXTS.map((name) => [name, make(name)])) as Record<OptionalText, T>;

/** The optional texts of a profile, all given. */
export const OPTIONAL_PROFILE = eachOptionalText((name) => `The ${name} of Dr. Doc Tor.`);

/** The optional texts of a profile, none given. */
export const EMPTY_PROFILE = eachOptionalText(() => null);

let senders = 0;

/** Headers of an address that no other test of the file has, so that no limit of another test applies. Needs TRUST_PROXY. */
export function aSender() {
  senders += 1;
  return { 'X-Forwarded-For': `10.${senders >> 8}.${senders & 255}.1` };
}
