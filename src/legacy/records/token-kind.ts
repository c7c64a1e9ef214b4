import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { BulkRecords } from '../../stores/bulk-records.ts';
import type { Stores } from '../../stores/stores.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { WriteTime } from '../source/legacy-time.ts';
import {
  ADMIN,
  type ColumnValues,
  type Conversion,
  type Converted,
  digestOfValues,
  isAboutAccount,
  isUsableId,
  NO_ACCOUNT_THERE,
  OF_ADMIN,
  type Reason,
  reasonAgainstTexts,
} from './legacy-record.ts';
import { RecordKind } from './record-kind.ts';

const SECRET_HASH = /^[0-9a-f]{64}$/;

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
class TokenKind extends RecordKind<StoredAccessToken> {
  readonly name = 'tokens';
  override readonly counter = 'access_tokens';
  protected readonly ownFields = new Set(['idleExpiresAt', 'lastUsedAt']);

  stored({ accessTokens }: Pick<Stores, 'accessTokens'>): BulkRecords<StoredAccessToken> {
    return accessTokens.bulk;
  }

  /** All tokens of accounts. */
  ofAccounts(
    stores: Pick<Stores, 'accessTokens'>,
    accountIds: readonly string[],
  ): Promise<StoredAccessToken[]> {
    return this.stored(stores).byValues('accountId', accountIds);
  }

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
    const invalidText = reasonAgainstTexts(row);
    if (invalidText !== undefined) {
      return { reason: invalidText };
    }
    const abilities = toAbilities(text);
    if (abilities === undefined) {
      return { reason: 'the abilities are no list of texts' };
    }
    if (abilities?.some((ability) => !ability.isWellFormed())) {
      return { reason: 'an ability has half a surrogate pair' };
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
    return { record, digest: this.digestOf(record) };
  }

  /** The last use is not in the digest: every request changes it, here and there, and the later one counts. */
  digestOf(token: StoredAccessToken): string {
    const { accountId, name, secretHash, abilities, expiresAt, createdAt } = token;
    return digestOfValues([accountId, name, secretHash, abilities, expiresAt, createdAt]);
  }

  accountOf({ values }: LegacyRow): string | null | undefined {
    return values.tokenable_id;
  }

  accountIdOf({ accountId }: StoredAccessToken): string {
    return accountId;
  }

  override isImported({ imported }: StoredAccessToken): boolean {
    return imported === true;
  }

  changed(stored: StoredAccessToken, record: StoredAccessToken): StoredAccessToken {
    const { lastUsedAt: _used, idleExpiresAt: _idle, ...fields } = record;
    return { ...stored, ...this.refreshed(stored, record), ...fields };
  }

  override refreshed(stored: StoredAccessToken, record: StoredAccessToken): StoredAccessToken | undefined {
    // The end of its idle time is not that of its last use any more, and the database would remove it too early.
    const { lastUsedAt, idleExpiresAt } = record;
    return isUsedLater(record, stored) ? { ...stored, lastUsedAt, idleExpiresAt } : undefined;
  }

  /** While its account is absent, it is not valid. Of another account, it is another token. */
  override stays({ accountId }: StoredAccessToken, { values }: LegacyRow, reason: Reason): boolean {
    return isAboutAccount(reason) && values.tokenable_id === accountId;
  }

  /** The class and the account are not among them: they have other names there. */
  valuesOf(token: StoredAccessToken, writeTime: WriteTime): ColumnValues {
    const { name, secretHash, abilities, lastUsedAt, expiresAt, createdAt } = token;
    return {
      name,
      token: secretHash,
      abilities: JSON.stringify(abilities ?? ['*']),
      last_used_at: writeTime(lastUsedAt),
      expires_at: writeTime(expiresAt),
      created_at: writeTime(createdAt),
    };
  }

  override differingFields(stored: StoredAccessToken, record: StoredAccessToken): string[] {
    return [
      ...super.differingFields(stored, record),
      // A later use there has not been brought here yet. A later use here is no difference.
      ...(isUsedLater(record, stored) ? ['lastUsedAt'] : []),
      ...(isRightIdleEnd(stored, record) ? [] : ['idleExpiresAt']),
    ];
  }
}

export const TOKENS = new TokenKind();

const isUsedLater = (one: StoredAccessToken, other: StoredAccessToken): boolean =>
  Number(one.lastUsedAt) > Number(other.lastUsedAt);

/** No row has an idle time. A token gets one by its uses here, and loses it by a later use there. */
function isRightIdleEnd(stored: StoredAccessToken, record: StoredAccessToken): boolean {
  const { lastUsedAt, idleExpiresAt = null } = stored;
  // Until the next sync, a later use there is a difference of its own.
  return (
    idleExpiresAt === null ||
    isUsedLater(record, stored) ||
    (isUsedLater(stored, record) && Number(idleExpiresAt) > Number(lastUsedAt))
  );
}
