import { isDeepStrictEqual } from 'node:util';
import {
  type Account,
  type AccountCorrection,
  type AccountStore,
  ROLES,
  toAccount,
  type WithoutSecrets,
} from '../stores/accounts.ts';
import {
  type DoctorProfileTexts,
  PROFILE_TEXTS,
  type ProfileTextName,
} from '../stores/doctor-profile-record.ts';
import {
  type DoctorProfile,
  type DoctorStore,
  hasRenewal,
  type Proposal,
  REVIEWED_FIELDS,
  STORED_STATUSES,
  storedStatusOf,
} from '../stores/doctors.ts';
import { emailKey } from '../stores/email-key.ts';
import type { EventNote } from '../stores/event-notes.ts';
import { problemOfProfile } from '../stores/invalid-records.ts';
import type { Clock } from '../system/clock.ts';
import { broken } from '../system/error-details.ts';
import {
  type FieldErrors,
  ServiceUnavailableError,
  UnauthenticatedError,
  ValidationError,
} from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import { accountSubject, type RecordedActs } from './audit/recorded-acts.ts';
import type { Caller } from './caller.ts';
import { againIfOvertaken } from './overtaken-writes.ts';
import { commit } from './running-act.ts';
import type { ActThrottle } from './throttle/act-throttle.ts';
import type { Session } from './tokens/sessions.ts';

/** What a caller sends to be corrected. A field that was not sent is undefined; null empties it. */
export type Correction = {
  [field in keyof AccountCorrection]?: AccountCorrection[field] | null | undefined;
} & { [name in ProfileTextName]?: string | null | undefined } & {
  /** The e-mail of the account, which a form may send along. */
  email?: string | null | undefined;
};

/** An account after a correction, with the profile of a doctor. */
export interface Corrected {
  account: Account;
  profile: DoctorProfile | undefined;
}

interface CorrectionsParts {
  acts: RecordedActs;
  actThrottle: ActThrottle;
  accounts: AccountStore;
  doctors: DoctorStore;
  clock: Clock;
  log: Logger;
}

const TEXT_NAMES = Object.keys(PROFILE_TEXTS) as ProfileTextName[];

/** The fields that may be sent, in the order of the input. */
const FIELDS = ['name', 'phone', 'dateOfBirth', 'language', ...TEXT_NAMES] as const;
type Field = (typeof FIELDS)[number];
type Values = { [field in Field]?: string | null };

const ACCOUNT_FIELDS = ['name', 'phone', 'dateOfBirth', 'language'] as const satisfies Field[];
const DOCTOR_FIELDS: readonly Field[] = ['name', 'phone', 'language', ...TEXT_NAMES];

/** What a doctor cannot do without. The phone is optional for everybody else. */
const REQUIRED_OF_DOCTORS: readonly Field[] = [
  'name',
  'phone',
  ...TEXT_NAMES.filter((name) => PROFILE_TEXTS[name].isRequired),
];

/** People correct what the gateway says about them (GDPR article 16). */
export class Corrections {
  constructor(private readonly parts: CorrectionsParts) {}

  /**
   * Corrects the caller's account and profile. Name, specialisation and license number of a verified doctor are only proposed: they
   * wait for a reviewer. Everything else counts at once, and no status changes.
   * @returns the account and the profile after it
   * @throws UnauthenticatedError if the account is gone meanwhile; ValidationError; TooManyAttemptsError; ServiceUnavailableError
   */
  async updateMyProfile(sent: Correction, { account }: Session, caller: Caller): Promise<Corrected> {
    const { acts, actThrottle } = this.parts;
    return acts.record(accountSubject('correction', account), caller, async (note) => {
      await actThrottle.beforeReviewed('corrections', account.id, caller.ip);
      const done = await againIfOvertaken(() => this.#correct(account.id, sent, note));
      if (!done) {
        throw new ServiceUnavailableError('the profile was changed while it was being corrected');
      }
      const names = namesIn(done);
      const cause = names || 'nothing was different';
      return { result: done.corrected, facts: { cause, ...(!names && { published: null }) } };
    });
  }

  /** @returns undefined if another change of the doctor was faster */
  async #correct(id: string, sent: Correction, note: EventNote): Promise<Done | undefined> {
    const { accounts, doctors, clock } = this.parts;
    const profile = await this.#profileOf(id);
    const account = await accounts.findById(id);
    if (!account || account.disabledAt) {
      throw new UnauthenticatedError();
    }
    const current = valuesOf(account, profile);
    requireAllowed(sent, current, account, profile);
    const now = new Date(clock.now());
    if (!profile) {
      const changed = differing(sent, current, ACCOUNT_FIELDS);
      const correct = () => accounts.correct(id, asAccount(changed), now, note);
      const after = isEmpty(changed) ? account : await commit(correct);
      if (!after) {
        throw new UnauthenticatedError();
      }
      return doneOf(after, undefined, changed);
    }
    const { changed, proposal } = correctionBy(sent, current, profile, now);
    if (isEmpty(changed) && proposal === profile.proposal) {
      return doneOf(account, profile, {});
    }
    const correction = { account: asAccount(changed), texts: asTexts(changed), proposal };
    const after = await commit(() => doctors.correct(profile, correction, now, note));
    if (!after) {
      return undefined;
    }
    await finishChange(after, this.parts);
    const corrected = await accounts.findById(id).catch(() => undefined);
    const proposed = REVIEWED_FIELDS.filter((field) => proposal?.[field] !== profile.proposal?.[field]);
    return doneOf(corrected ?? { ...account, ...asAccount(changed) }, after, changed, proposed);
  }

  /** A doctor's profile, whose last change the account has. */
  async #profileOf(id: string): Promise<DoctorProfile | undefined> {
    const profile = await this.parts.doctors.find(id);
    if (profile && problemOfProfile(profile)) {
      throw new UnauthenticatedError();
    }
    return profile && this.parts.doctors.finishAccountChange(profile);
  }
}

/** Lets an account take the change of its profile. That change is made by now: if this fails, the next reading does it. */
export async function finishChange(
  profile: DoctorProfile,
  { doctors, log }: { doctors: DoctorStore; log: Logger },
): Promise<void> {
  await doctors.finishAccountChange(profile).catch((err: unknown) => {
    log.warn({ err, accountId: profile._id }, 'an account has not taken the change of its profile yet');
  });
}

/** What an attempt has done. */
interface Done {
  corrected: Corrected;
  changed: Values;
  /** The reviewed fields that are now proposed in another way than before. */
  proposed: readonly string[];
}

const doneOf = (
  account: WithoutSecrets,
  profile: DoctorProfile | undefined,
  changed: Values,
  proposed: readonly string[] = [],
): Done => ({ corrected: { account: toAccount(account), profile }, changed, proposed });

/** For the audit trail: names of fields, never values; empty if nothing was different. */
function namesIn({ changed, proposed }: Done): string {
  const names = [...Object.keys(changed), ...proposed.map((name) => `${name} (proposed)`)];
  return names.join(', ');
}

/** What the records say now. A field that one has not is null. */
function valuesOf(account: WithoutSecrets, profile: DoctorProfile | undefined): Values {
  const read = (field: Field): string | null => {
    const record = Object.hasOwn(PROFILE_TEXTS, field) ? profile : account;
    return Reflect.get(record ?? {}, field) ?? null;
  };
  return Object.fromEntries(FIELDS.map((field) => [field, read(field)]));
}

/** The values among these fields that were sent and are different. */
function differing(sent: Correction, current: Values, fields: readonly Field[]): Values {
  const others = fields.filter((field) => sent[field] !== undefined && sent[field] !== current[field]);
  return Object.fromEntries(others.map((field) => [field, sent[field] ?? null]));
}

const isEmpty = (values: object): boolean => Object.keys(values).length === 0;

const isAccountField = (field: string): boolean => ACCOUNT_FIELDS.some((one) => one === field);

/** @param values after {@link requireAllowed}: a required field is not null */
const asAccount = (values: Values): AccountCorrection =>
  Object.fromEntries(Object.entries(values).filter(([field]) => isAccountField(field)));

const asTexts = (values: Values): Partial<DoctorProfileTexts> =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !isAccountField(field)));

/**
 * Refuses what cannot be corrected here. A program may send the whole account record back, so a value that stays the same is
 * no correction.
 * @throws ValidationError
 */
function requireAllowed(
  sent: Correction,
  current: Values,
  { email, role }: WithoutSecrets,
  profile: DoctorProfile | undefined,
): void {
  const errors: FieldErrors = {};
  const isDoctor = role === ROLES.DOCTOR;
  const doctorFields = DOCTOR_FIELDS.filter((field) => profile || isAccountField(field));
  const allowed = isDoctor ? doctorFields : ACCOUNT_FIELDS;
  const required: readonly Field[] = isDoctor ? REQUIRED_OF_DOCTORS : ['name'];
  if (typeof sent.email === 'string' && emailKey(sent.email) !== emailKey(email)) {
    errors.email = broken('prohibited', 'The email field is prohibited.');
  }
  for (const field of Object.keys(differing(sent, current, FIELDS)) as Field[]) {
    const label = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (!allowed.includes(field)) {
      errors[field] = broken('prohibited', `The ${label} field is prohibited.`);
    } else if (required.includes(field) && sent[field] === null) {
      errors[field] = broken('required', `The ${label} field is required.`);
    }
  }
  if (!isEmpty(errors)) {
    throw new ValidationError(errors);
  }
}

/** What a correction changes at once, and what it proposes. */
function correctionBy(
  sent: Correction,
  current: Values,
  { proposal: waiting, ...profile }: DoctorProfile,
  now: Date,
): { changed: Values; proposal: Proposal | undefined } {
  const { submittedAt: _, ...former } = waiting ?? { submittedAt: now };
  const wanted = { ...former, ...differing(sent, {}, FIELDS) };
  if (storedStatusOf(profile) !== STORED_STATUSES.VERIFIED) {
    // An earlier version, which knows no proposals, may have decided on a doctor with one.
    return { changed: differing(wanted, current, DOCTOR_FIELDS), proposal: undefined };
  }
  const isReviewed = (field: Field) => REVIEWED_FIELDS.some((one) => one === field);
  const changed = differing(
    sent,
    current,
    DOCTOR_FIELDS.filter((field) => !isReviewed(field)),
  );
  // What reviewers have seen already needs no proposal.
  const proposed = differing(wanted, current, REVIEWED_FIELDS);
  if (isEmpty(proposed) && !hasRenewal(profile)) {
    return { changed, proposal: undefined };
  }
  const isSame = isDeepStrictEqual(proposed, { ...former });
  // Documents that wait keep their place when the texts are taken back.
  const submittedAt = (isEmpty(proposed) && waiting?.submittedAt) || now;
  return { changed, proposal: isSame ? waiting : ({ ...proposed, submittedAt } as Proposal) };
}
