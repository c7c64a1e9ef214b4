import type { StoredAccessToken } from '../../models/access-token.model.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import {
  ADMIN,
  type Conversion,
  type Converted,
  digestOfValues,
  isUsableId,
  NO_ACCOUNT_THERE,
  OF_ADMIN,
  type RecordKind,
} from './legacy-record.ts';

const SECRET_HASH = /^[0-9a-f]{64}$/;

/** The last use is not in the digest: every request changes it, here and there, and the later one counts. */
function digestOf(token: StoredAccessToken): string {
  const { accountId, name, secretHash, abilities, expiresAt, createdAt } = token;
  return digestOfValues([accountId, name, secretHash, abilities, expiresAt, createdAt]);
}

/** Sanctum's abilities: null and `["*"]` are unrestricted, which the gateway stores as null; undefined if they are unclear. */
function toAbilities(text: string | null | undefined): string[] | null | undefined {
  if (text === null || text === undefined) {
    return null;
  }
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) && list.every((ability) => typeof ability === 'string');
    if (!isList && list !== null) {
      return undefined;
    }
    return list === null || list.includes('*') ? null : list;
  } catch {
    return undefined;
  }
}

/** Rows of access tokens. Only the hash of a secret is in the table, and only it is stored. */
export const TOKEN_RECORD: RecordKind<StoredAccessToken> = {
  convert(row: LegacyRow, { readTime, now }: Conversion): Converted<StoredAccessToken> {
    const { tokenable_id, name, token, abilities: text, last_used_at, expires_at, created_at } = row.values;
    if (!isUsableId(row.key)) {
      return { reason: 'the id has another form than the gateway uses' };
    }
    if (!row.hasAccount || !tokenable_id) {
      return { reason: NO_ACCOUNT_THERE };
    }
    if (row.accountRole === ADMIN) {
      return { reason: OF_ADMIN };
    }
    if (!SECRET_HASH.test(token ?? '')) {
      return { reason: 'the stored token is no SHA-256' };
    }
    const abilities = toAbilities(text);
    if (abilities === undefined) {
      return { reason: 'the abilities are no list of texts' };
    }
    const expiresAt = readTime(expires_at);
    if (expiresAt && expiresAt <= now) {
      return { reason: 'it has expired' };
    }
    const record: StoredAccessToken = {
      _id: row.key,
      accountId: tokenable_id,
      name: name ?? '',
      secretHash: token ?? '',
      abilities,
      // Sanctum's column may be empty. Such a token counts as the oldest.
      createdAt: readTime(created_at) ?? new Date(0),
      lastUsedAt: readTime(last_used_at),
      expiresAt,
      idleExpiresAt: null,
      imported: true,
    };
    return { record, digest: digestOf(record) };
  },
  digestOf,
};
