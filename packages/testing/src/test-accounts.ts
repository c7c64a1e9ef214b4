import { randomUUID } from 'node:crypto';
import {
  type Account,
  createAuthClient,
  type DoctorFields,
  type DoctorProfile,
  type RegisterPatientInput,
} from '@auth-gateway/client';
import { dataOf } from './data-of.ts';
import { aPdf } from './documents.ts';
import type { GatewayProcess } from './gateway-process.ts';

/** Fields to register a patient with, instead of the usual ones. */
export type PatientOverrides = Partial<RegisterPatientInput>;
/** Fields to register a doctor with, instead of the usual ones. A document is a Blob or the path of a file. */
export type DoctorOverrides = Partial<DoctorFields> & {
  /** True: a reviewer has approved the doctor. */
  verified?: boolean;
  /** The last day of the verification, `YYYY-MM-DD` in UTC; by default there is none. Without effect if `verified` is not true. */
  verifiedUntil?: string;
};
/** Fields of a reviewer, instead of the usual ones. */
export type ReviewerOverrides = Partial<Pick<RegisterPatientInput, 'name' | 'email' | 'password'>>;

/** A patient or a reviewer. */
export interface TestAccount {
  account: Account;
  /** An access token of the account. */
  token: string;
  /** The password that the account was registered with. */
  password: string;
}

/** A registered doctor, whose documents are stored. */
export interface TestDoctor extends TestAccount {
  profile: DoctorProfile;
}

/** New fields at each call, with an e-mail that no other account has. */
const accountFields = (role: string) => ({
  name: `Test ${role}`,
  email: `${role.toLowerCase()}.${randomUUID()}@example.org`,
  password: randomUUID(),
});

/** @throws an Error with the gateway's own message if it refuses */
export async function createPatient(url: string, overrides: PatientOverrides = {}): Promise<TestAccount> {
  const fields = { ...accountFields('Patient'), ...overrides };
  const { account, token } = dataOf('createPatient', await createAuthClient({ url }).registerPatient(fields));
  return { account, token, password: fields.password };
}

/** @throws an Error with the gateway's own message if it refuses */
export async function createDoctor(
  { url, ask }: GatewayProcess,
  { verified = false, verifiedUntil, ...overrides }: DoctorOverrides = {},
): Promise<TestDoctor> {
  const fields = {
    ...accountFields('Doctor'),
    phone: '+1 555 0100',
    specialization: 'Cardiology',
    licenseNumber: 'L-1024',
    licenseFile: aPdf(),
    diplomaFile: aPdf(),
    certificationFile: aPdf(),
    ...overrides,
  };
  const client = createAuthClient({ url });
  const { account, profile, token } = dataOf('createDoctor', await client.registerDoctor(fields));
  const doctor = { account, profile, token, password: fields.password };
  if (!verified) {
    return doctor;
  }
  const until = verifiedUntil === undefined ? [] : ['--until', verifiedUntil];
  await runAdmin(ask, ['doctors', 'approve', '--account', account.id, ...until]);
  const { profile: approved } = dataOf('createDoctor', await client.me());
  return { ...doctor, profile: approved ?? profile };
}

/** @throws an Error with the gateway's own message if it refuses */
export async function createReviewer(
  { url, ask }: GatewayProcess,
  overrides: ReviewerOverrides = {},
): Promise<TestAccount> {
  const { name, email, password } = { ...accountFields('Reviewer'), ...overrides };
  const words = ['accounts', 'create', '--role', 'reviewer', '--name', name, '--email', email];
  await runAdmin(ask, [...words, '--password-stdin'], password);
  const session = dataOf('createReviewer', await createAuthClient({ url }).login({ email, password }));
  return { ...session, password };
}

/** Runs a command of operators. @throws an Error with its message */
async function runAdmin(ask: GatewayProcess['ask'], words: string[], input = ''): Promise<void> {
  const { code, stderr } = await ask('command', { words: ['admin', ...words, '--as', 'tests'], input });
  if (code !== 0) {
    throw new Error(`${words.slice(0, 2).join(' ')}: ${stderr.trim()}`);
  }
}
