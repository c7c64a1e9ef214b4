import { isDeepStrictEqual } from 'node:util';
import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { emailKey } from '../../stores/email-key.ts';
import { digestOfHash } from '../../stores/imported-hash.ts';
import { toLegacyPath, toPhpHash } from '../back/legacy-values.ts';
import type { AnyRecord } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** Fields that the gateway changes on its own. Those of {@link RULES} are compared by a rule. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'disabledAt',
  'idleExpiresAt',
  'knownPlaces',
  'lastUsedAt',
  'legacyAbsence',
  'upgradedFrom',
  'verification',
]);

/** What is stored of a row, and what an import would store of it. */
type IsRight<T> = (stored: T, record: T) => boolean;

const RULES: Record<Kind, Record<string, IsRight<AnyRecord>>> = {
  accounts: {},
  profiles: { verification: isRightVerification as IsRight<AnyRecord> },
  tokens: {
    lastUsedAt: isRightUse as IsRight<AnyRecord>,
    idleExpiresAt: isRightIdleEnd as IsRight<AnyRecord>,
  },
};

/** The names of the fields in which a stored record is not what its row says. */
export function differingFields(kind: Kind, stored: AnyRecord, record: AnyRecord): string[] {
  const [here, there] = [stored, record] as unknown as Record<string, unknown>[];
  const fields = Object.keys(record).filter((field) => !OWN_FIELDS.has(field));
  return [
    ...fields.filter((field) => !isSame(kind, field, here, there)),
    ...Object.entries(RULES[kind]).flatMap(([field, isRight]) => (isRight(stored, record) ? [] : [field])),
  ];
}

type Fields = Record<string, unknown> | undefined;

function isSame(kind: Kind, field: string, here: Fields, there: Fields): boolean {
  const [stored, wanted] = [here?.[field] ?? null, there?.[field] ?? null];
  if (kind === 'accounts' && field === 'passwordHash' && here?.upgradedFrom) {
    return here.upgradedFrom === digestOfHash(String(wanted));
  }
  if (kind === 'accounts' && field === 'emailKey') {
    return stored === emailKey(String(here?.email));
  }
  if (field === 'passwordHash') {
    return toPhpHash(String(stored)) === toPhpHash(String(wanted));
  }
  if (field.endsWith('FilePath') && typeof stored === 'string') {
    return stored === wanted || toLegacyPath(stored) === wanted;
  }
  return isDeepStrictEqual(stored, wanted);
}

/** The import decides on the state of a doctor once. The time of the documents stays if the row gets another time. */
function isRightVerification(
  { verification: here }: DoctorProfile,
  { verification: there }: DoctorProfile,
): boolean {
  const stateOf = (one: typeof here) => one && [one.status, one.decidedAt, one.reason];
  return isDeepStrictEqual(stateOf(here), stateOf(there));
}

/** A later use there has not been brought here yet. A later use here is no difference. */
function isRightUse(
  { lastUsedAt: here }: StoredAccessToken,
  { lastUsedAt: there }: StoredAccessToken,
): boolean {
  return Number(there) <= Number(here);
}

/** No row has an idle time. A token gets one by its uses here, and loses it by a later use there. */
function isRightIdleEnd(
  { lastUsedAt, idleExpiresAt = null }: StoredAccessToken,
  record: StoredAccessToken,
): boolean {
  const use = Number(lastUsedAt);
  const usedThere = Number(record.lastUsedAt);
  // Until the next sync, a later use there is a difference of its own.
  return idleExpiresAt === null || usedThere > use || (use > usedThere && idleExpiresAt.getTime() > use);
}
