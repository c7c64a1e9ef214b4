import { createHash, randomBytes } from 'node:crypto';
import { sanctumSecret } from '../../support/legacy.ts';
import { LEGACY_ACCOUNTS, type LegacyAccount, MADE_BY_PHP } from './legacy-people.ts';
import { TOKENABLE_TYPE } from './legacy-tables.mjs';

/** A row of the table personal_access_tokens, and its plain text. Times are in the form of the database. */
export interface LegacyToken {
  id: number;
  /** The class that it belongs to. */
  type: string;
  accountId: number;
  name: string;
  /** What its owner sends. */
  plain: string;
  /** The same without the id. */
  secret: string;
  hash: string;
  abilities: string | null;
  lastUsedAt: string | null;
  expiresAt: string | null;
  createdAt: string | null;
}

const DEFAULTS = {
  type: TOKENABLE_TYPE,
  name: 'auth-token',
  abilities: '["*"]',
  lastUsedAt: null,
  expiresAt: null,
  createdAt: '2024-02-29 12:00:02',
};

const { patient, doctor, admin, argon2id } = LEGACY_ACCOUNTS;

/** A token that PHP has made, of the patient. */
function made(kind: string): LegacyToken {
  const token = MADE_BY_PHP.tokens.find((one) => one.case.includes(kind));
  if (token === undefined) {
    throw new Error(`php-made.json has no token ${kind}`);
  }
  const { plain, secret, hash } = token;
  return { ...DEFAULTS, id: Number.parseInt(plain, 10), accountId: patient.id, plain, secret, hash };
}

/** A new token in the form of today's Sanctum. */
function aToken(
  id: number,
  { id: accountId }: Pick<LegacyAccount, 'id'>,
  fields: Partial<LegacyToken> = {},
): LegacyToken {
  const secret = sanctumSecret('', randomBytes(20).toString('hex'));
  const hash = createHash('sha256').update(secret).digest('hex');
  return { ...DEFAULTS, id, accountId, plain: `${id}|${secret}`, secret, hash, ...fields };
}

/** The tokens of the legacy service, by what is special about each. */
export const LEGACY_TOKENS = {
  crc32b: made('3.3.0 and later'),
  prefixed: made('configured prefix'),
  crc32: made('3.2.6'),
  unchecked: made('up to Sanctum 3.2.5'),
  oldest: made('the oldest'),
  doctor: aToken(100, doctor, { name: 'doctor-token', abilities: '["create","update","delete"]' }),
  createOnly: aToken(101, patient, { abilities: '["create"]' }),
  withoutAbilities: aToken(102, patient, { abilities: null }),
  brokenAbilities: aToken(103, patient, { abilities: '["create"' }),
  expired: aToken(104, patient, { expiresAt: '2024-03-01 00:00:00' }),
  expiring: aToken(105, patient, { expiresAt: '2037-12-31 23:59:59' }),
  used: aToken(106, patient, { lastUsedAt: '2024-03-02 10:11:12' }),
  withoutDates: aToken(107, argon2id, { createdAt: null }),
  admin: aToken(108, admin),
  ofOtherType: aToken(109, patient, { type: 'App\\Models\\Device' }),
  ofNobody: aToken(110, { id: 999 }),
} satisfies Record<string, LegacyToken>;
