import { randomUUID } from 'node:crypto';
import { aPdf, type TestDocument } from './documents.ts';
import { rememberPassword } from './response-record.ts';

/** What is sent at a door, by camelCase name. `undefined` is not sent; a document is sent as a file. */
export type Fields = Record<string, unknown>;

/** An e-mail address that nobody has yet. */
export const freshEmail = (): string => `${randomUUID()}@example.org`;

/** A password that occurs nowhere else, so that it is recognised wherever it leaks. */
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

/** The least that a patient registers with, each time another person. */
export const aPatient = <T extends Fields>(fields?: T): PatientFields & T =>
  ({ name: 'Pat Ient', email: freshEmail(), password: freshPassword(), ...fields }) as PatientFields & T;

/** The least that a doctor registers with, each time another person with documents of their own. */
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

/** What a doctor may tell beyond that. */
export const OPTIONAL_PROFILE = {
  currentInstitution: 'General Hospital',
  workHistory: 'Ten years of cardiology.',
  publications: 'On Hearts (2020).',
  practiceAddress: '1 Main Street',
} as const;
