import DataLoader from 'dataloader';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { accessTokenSchema, NEWEST_FIRST, type StoredAccessToken } from './access-token-record.ts';
import { AccessTokenRevocation } from './access-token-revocation.ts';
import { ACCOUNTS, type StoredAccount } from './accounts.ts';
import { BulkRecords } from './bulk-records.ts';
import { inBatchesOfRequests, type OwnedRecord, pagesBefore } from './store.ts';

export type { StoredAccessToken } from './access-token-record.ts';
export type { Revoked } from './access-token-revocation.ts';

/** A stored token and its account, without what only a check of the password needs. */
export interface TokenWithAccount {
  token: StoredAccessToken;
  /** undefined if it does not exist. */
  account: Omit<StoredAccount, 'passwordHash' | 'knownPlaces' | 'codePlaces' | 'knownDevices'> | undefined;
}

/** The last use of a token. */
interface TokenUse {
  id: string;
  lastUsedAt: Date;
  /** When the token may be removed if it is not used again; null if it has no idle limit. */
  idleExpiresAt: Date | null;
}

type Joined = StoredAccessToken & { accounts: NonNullable<TokenWithAccount['account']>[] };

/** A last use need not survive a crash, so the write does not wait for a disk. */
const USE_WRITE_CONCERN = { w: 1, journal: false } as const;

/** Lists are read in smaller parts, so that other requests are served in between. */
const LIST_BATCH_SIZE = 100;

/**
 * The access tokens. A token is inserted, its last uses are noted, and it is removed by a revocation, by the database after its
 * end, or by the sweep without its account. Nothing else of it changes.
 */
export class AccessTokenStore extends AccessTokenRevocation {
  readonly #byId = this.#lookUp('_id', {});
  readonly #importedByHash = this.#lookUp('secretHash', { imported: true });

  /** For the move from and to a legacy service. By these fields it notices that another token has got an id since. */
  readonly bulk: BulkRecords<StoredAccessToken>;

  constructor(database: LimitedConnection) {
    super(database);
    this.bulk = new BulkRecords(database, accessTokenSchema, ['accountId', 'secretHash', 'imported']);
  }

  /** @throws the database's error if there is a token with this id */
  insert(token: StoredAccessToken): Promise<void> {
    return this.records.insert(token);
  }

  /** Removes exactly this token, and no imported one with the same id. It is no error if it does not exist. */
  async withdraw({ _id, secretHash }: Pick<StoredAccessToken, '_id' | 'secretHash'>): Promise<void> {
    await this.records.remove({ _id, secretHash });
  }

  /**
   * Finds a token with its account. Every request does it, and most of its cost is the exchange with the database. So one query
   * reads token and account, and simultaneous requests share it. Nothing is cached, so a revoked token or a disabled account is
   * refused at once.
   */
  findWithAccount(id: string): Promise<TokenWithAccount | undefined> {
    return this.#byId.load(id);
  }

  /**
   * Finds an imported token like {@link findWithAccount}, by the hash of its secret: the others are never presented without their
   * id. It has queries of its own, so that neither kind waits for the other.
   */
  findImportedWithAccount(secretHash: string): Promise<TokenWithAccount | undefined> {
    return this.#importedByHash.load(secretHash);
  }

  #lookUp(
    field: '_id' | 'secretHash',
    only: { imported?: true },
  ): DataLoader<string, TokenWithAccount | undefined> {
    return new DataLoader(async (keys) => {
      const which = { [field]: { $in: [...new Set(keys)] }, ...only };
      const found = await this.records.within(
        this.records.collection.aggregate<Joined>(withAccounts(which)).toArray(),
      );
      const byKey = new Map(
        found.map(({ accounts, ...token }) => [token[field], { token, account: accounts[0] }]),
      );
      return keys.map((key) => byKey.get(key));
    }, inBatchesOfRequests());
  }

  /** The newest tokens of an account, the newest first. */
  async list(accountId: string, limit: number): Promise<StoredAccessToken[]> {
    const tokens: StoredAccessToken[] = [];
    const options = { sort: NEWEST_FIRST, limit, batchSize: LIST_BATCH_SIZE } as const;
    for await (const batch of this.records.batches({ accountId }, options)) {
      tokens.push(...batch);
    }
    return tokens;
  }

  /**
   * Notes the last uses of tokens. It never inserts, so that a revoked token stays revoked, and never moves back a later use that
   * another instance has noted.
   */
  async noteUses(uses: readonly TokenUse[]): Promise<void> {
    const updates = uses.map(({ id, lastUsedAt, idleExpiresAt }) => ({
      updateOne: {
        filter: { _id: id },
        update: idleExpiresAt
          ? { $max: { lastUsedAt, idleExpiresAt } }
          : { $max: { lastUsedAt }, $set: { idleExpiresAt } },
      },
    }));
    const options = { ordered: false, writeConcern: USE_WRITE_CONCERN };
    await this.records.within(this.records.collection.bulkWrite(updates, options));
  }

  /** The tokens that were issued before a moment, in batches, for the sweep. */
  createdBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    return pagesBefore(moment, this.records.pages({ accountId: 1, createdAt: 1 }));
  }

  /** The account of a token; undefined if the token does not exist. */
  async ownerOf(id: string): Promise<string | undefined> {
    const found = await this.records.first({ _id: id }, { projection: { accountId: 1 } });
    return found?.accountId;
  }
}

/** A pipeline that joins tokens with their accounts, each with one or none. Secrets of an account stay in the database. */
const withAccounts = (which: object) => [
  { $match: which },
  { $lookup: { from: ACCOUNTS, localField: 'accountId', foreignField: '_id', as: 'accounts' } },
  { $project: { accounts: { passwordHash: 0, knownPlaces: 0, codePlaces: 0, knownDevices: 0 } } },
];
