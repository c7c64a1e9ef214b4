import type { Document } from 'bson';
import { emailDigest } from '../../src/stores/email-key.ts';
import type { TestDatabase } from './database.ts';
import { EMPTY_PROFILE } from './people.ts';

/** How many records of each kind are stored: 100,000, in the shares of a gateway that has run for years. */
const COUNTS = {
  accounts: 30_000,
  doctor_profiles: 6_000,
  access_tokens: 30_000,
  audit_events: 25_000,
  reset_tokens: 1_000,
  outgoing_mails: 2_000,
  attempt_counts: 3_000,
  erasures: 2_000,
  swept_profiles: 1_000,
};
const BATCH = 5_000;
const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

/** The records of somebody with far more than anybody else. */
const HEAVY_TOKENS = 2_000;
const HEAVY_EVENTS = 5_000;

/** Who has the most records: ids of accounts that exist already. */
export interface HeavyAccounts {
  /** Has tokens, and events with this e-mail. */
  owner: { id: string; email: string };
  /** Has acted on others. */
  reviewer: { id: string };
}

/** An id like one that is made here, and before all of those. */
const idOf = (kind: string, index: number): string =>
  `${kind}${index.toString(16).padStart(24 - kind.length, '0')}`;
const ACCOUNT = '0a';
const DOCTOR_SHARE = 5;

/** The account with this number. Every fifth one is a doctor. */
export const accountId = (index: number): string => idOf(ACCOUNT, index);
const emailOf = (index: number): string => `person-${index}@example.net`;

/** What a record of each kind is like, by its number. */
function kindsOf({ owner, reviewer }: HeavyAccounts, now: number) {
  const ago = (millis: number) => new Date(now - millis);
  const later = (index: number) => new Date(now + DAY_MILLIS + index * 1_000);
  const path = (group: string, index: number) => `${group}/${String(index).padStart(40, '0')}.pdf`;
  const accounts = (index: number): Document => ({
    _id: accountId(index),
    name: `Person ${index}`,
    email: emailOf(index),
    emailKey: emailOf(index),
    phone: null,
    dateOfBirth: null,
    role: index % DOCTOR_SHARE === 0 ? 'doctor' : index % 10_000 === 1 ? 'reviewer' : 'patient',
    passwordHash: '-',
    createdAt: ago(DAY_MILLIS + index * 1_000),
    updatedAt: ago(DAY_MILLIS),
    disabledAt: index % 100 === 3 ? ago(DAY_MILLIS) : null,
    ...(index % 500 === 3 && { erasureDueAt: index % 10_000 === 3 ? ago(HOUR_MILLIS) : later(index) }),
    ...(index % 3 > 0 && { knownPlaces: [`network-${index}`, `network-of-${index % 5_000}`] }),
    ...(index % 25_000 === 7 && { legacyAbsence: { since: ago(DAY_MILLIS), disabledAt: null } }),
  });
  const verificationOf = (index: number) =>
    index % 10 === 0
      ? {}
      : {
          revision: 1,
          verification: {
            status: ['verified', 'verified', 'verified', 'pending', 'rejected', 'suspended'][index % 6],
            decidedAt: ago(DAY_MILLIS),
            reason: null,
            submittedAt: ago(DAY_MILLIS + index * 1_000),
            // Of the verified, half have expired.
            ...(index % 6 < 3 && { until: ago(((index % 1_000) - 500) * DAY_MILLIS) }),
          },
        };
  const doctor_profiles = (index: number): Document => ({
    // A few belong to no account: the sweep finds them.
    _id: index % 2_000 === 11 ? idOf('0d', index) : accountId(index * DOCTOR_SHARE),
    specialization: 'Cardiology',
    licenseNumber: `MD-${index}`,
    // Thousands share a number and a document, and far more have none.
    ...(index % 3 === 0 && { licenseKeys: [index % 2 === 0 ? 'shared' : `key-${index}`] }),
    ...(index % 3 === 1 && { documentHashes: [{ path: path('licenses', index), sha256: 'shared' }] }),
    ...(index % 500 === 19 && { unhashed: idOf('0a', index) }),
    licenseFilePath: path('licenses', index),
    diplomaFilePath: path('diplomas', index),
    certificationFilePath: index % 4 === 0 ? null : path('certifications', index),
    ...EMPTY_PROFILE,
    createdAt: ago(DAY_MILLIS + index * 1_000),
    ...verificationOf(index),
    ...(index % 1_000 === 13 && { removal: 'final' }),
    ...(index % 1_000 === 17 && { replaced: [path('licenses', index + 1_000_000)] }),
  });
  const access_tokens = (index: number): Document => ({
    _id: idOf('0b', index),
    accountId:
      index < HEAVY_TOKENS ? owner.id : accountId(index % 1_000 === 19 ? index + COUNTS.accounts : index),
    name: 'auth-token',
    secretHash: `hash-${index}`,
    abilities: null,
    createdAt: index % 50 === 23 ? null : ago(2 * HOUR_MILLIS + index * 1_000),
    lastUsedAt: null,
    expiresAt: index % 2 === 0 ? later(index) : null,
    idleExpiresAt: null,
    ...(index % 10 === 0 && { imported: true }),
  });
  const audit_events = (index: number): Document => {
    const isHeavy = index < HEAVY_EVENTS;
    const isRefused = index % 10 === 9;
    return {
      _id: idOf('0c', index),
      at: ago(index * 1_000),
      act: index % 7 === 0 ? 'logout' : 'login',
      outcome: isRefused ? 'failure' : 'success',
      reason: null,
      accountId: isRefused ? null : isHeavy ? owner.id : accountId(index),
      byAccountId: index % 20 === 5 ? reviewer.id : null,
      tokenId: null,
      revoked: null,
      emailDigest: emailDigest(isHeavy ? owner.email : emailOf(index)),
      ip: '192.0.2.1',
      userAgent: null,
      door: 'rest',
      ...{ operator: null, systemUser: null, service: null },
      requestId: `request-${index}`,
      ...{ count: null, lastAt: null },
      expiresAt: later(index),
    };
  };
  const reset_tokens = (index: number): Document => ({
    _id: `reset-${index}`,
    accountId: accountId(index),
    emailDigest: '-',
    passwordChangeId: null,
    expiresAt: later(index),
  });
  const outgoing_mails = (index: number): Document => ({
    _id: `mail-${index}`,
    order: {
      kind: 'password changed',
      to: index % 2 === 0 ? { accountId: accountId(index) } : { email: emailOf(index) },
    },
    orderedFrom: '192.0.2.1',
    createdAt: ago(HOUR_MILLIS),
    attempts: 0,
    nextAttemptAt: index % 20 === 0 ? ago(index) : later(index),
    ...(index % 3 === 0 && { limitKey: `key-${index}`, limitedUntil: later(index) }),
    expiresAt: later(index),
  });
  const attempt_counts = (index: number): Document => ({
    key: `key-${index}`,
    minute: { points: 1, endsMillis: now },
    expire: later(index),
  });
  const erasures = (index: number): Document => ({
    _id: idOf('0e', index),
    erasedAt: ago(2 * DAY_MILLIS),
    ...(index % 100 === 0 ? { emailDigest: `erased-${index}` } : { settledAt: ago(DAY_MILLIS) }),
  });
  const swept_profiles = (index: number): Document => ({
    _id: idOf('0f', index),
    profile: { _id: idOf('0f', index) },
    sweptAt: ago(HOUR_MILLIS),
  });
  return {
    accounts,
    doctor_profiles,
    access_tokens,
    audit_events,
    reset_tokens,
    outgoing_mails,
    attempt_counts,
    erasures,
    swept_profiles,
  } satisfies Record<keyof typeof COUNTS, (index: number) => Document>;
}

/**
 * Stores 100,000 records beside those that are there.
 * @param now the time of day, in milliseconds since the epoch
 */
export async function fillDatabase({ db }: TestDatabase, heavy: HeavyAccounts, now: number): Promise<void> {
  const kinds = Object.entries(kindsOf(heavy, now)) as [keyof typeof COUNTS, (index: number) => Document][];
  for (const [collection, recordOf] of kinds) {
    const count = COUNTS[collection];
    for (let start = 0; start < count; start += BATCH) {
      const size = Math.min(BATCH, count - start);
      const records = Array.from({ length: size }, (_, index) => recordOf(start + index));
      await db.collection(collection).insertMany(records, { ordered: false });
    }
  }
}
