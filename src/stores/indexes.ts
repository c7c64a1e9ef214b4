import { type Connection, mongo, type Schema } from 'mongoose';
import { dbOf } from '../database/connect.ts';
import { type LimitedConnection, withinLimit } from '../database/exchange-limit.ts';
import { accessTokenSchema } from './access-token-record.ts';
import { accountSchema } from './account-record.ts';
import { attemptCountSchema } from './attempts.ts';
import { auditEventSchema } from './audit-event-record.ts';
import { challengeSchema } from './challenges.ts';
import { doctorProfileSchema } from './doctor-profile-record.ts';
import { emailLinkSchema } from './email-links.ts';
import { erasureSchema } from './erasures.ts';
import { eventSchema } from './event-record.ts';
import { factorSchema } from './factors.ts';
import { invitationSchema } from './invitations.ts';
import { messageSchema } from './messages.ts';
import { operatorActsSchema } from './operator-acts.ts';
import { passkeySchema } from './passkeys.ts';
import { resetTokenSchema } from './reset-tokens.ts';
import { sweptProfileSchema } from './swept-profiles.ts';

/** An index, as a server lists it. */
export interface Index {
  name: string;
  key: object;
  unique?: boolean;
  sparse?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
}

/** The default name of an index. */
export const nameOf = (key: object): string => Object.entries(key).flat().join('_');

/** The schemas of all stored things that have indexes. Each schema declares its indexes at the end of its file. */
export const SCHEMAS: readonly Pick<Schema, 'get' | 'indexes' | 'paths'>[] = [
  accountSchema,
  doctorProfileSchema,
  accessTokenSchema,
  attemptCountSchema,
  auditEventSchema,
  resetTokenSchema,
  emailLinkSchema,
  invitationSchema,
  factorSchema,
  challengeSchema,
  passkeySchema,
  operatorActsSchema,
  messageSchema,
  erasureSchema,
  eventSchema,
  sweptProfileSchema,
];

/** The indexes of each collection, besides that of `_id`. */
const wantedIndexes = (): { collection: string; indexes: Index[] }[] =>
  SCHEMAS.map((schema) => ({
    collection: String(schema.get('collection')),
    indexes: schema
      .indexes()
      .map(([key, options]) => ({ ...(options as Omit<Index, 'key'>), key, name: nameOf(key) })),
  }));

/**
 * Creates every collection and index. The port opens only after this: the unique e-mail index decides races between
 * registrations, so no request may run without it.
 * @param connection without a time limit on exchanges
 */
export async function createIndexes(connection: Connection): Promise<void> {
  const create = wantedIndexes().map(({ collection, indexes }) =>
    // One command. Mongoose would send one for each index, one after the other.
    dbOf(connection)
      .collection(collection)
      .createIndexes(indexes as mongo.IndexDescription[]),
  );
  await Promise.all(create);
}

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

const hasCode = (error: unknown, ...codes: unknown[]): boolean =>
  error instanceof mongo.MongoServerError && codes.includes(error.code);

/** The indexes of a collection: those that the gateway makes, and those that are there. */
export interface CollectionIndexes {
  collection: string;
  wanted: Index[];
  /** All of them; undefined if the collection does not exist. */
  found: Index[] | undefined;
}

/** Compares nothing: it lists the indexes of each collection of the gateway. */
export async function* listIndexes({
  connection,
  limit,
}: LimitedConnection): AsyncGenerator<CollectionIndexes> {
  for (const { collection, indexes } of wantedIndexes()) {
    const listed = dbOf(connection).collection(collection).listIndexes().toArray() as Promise<Index[]>;
    const found = await withinLimit(listed, limit).catch((error: unknown) => {
      if (hasCode(error, NAMESPACE_NOT_FOUND)) {
        return undefined;
      }
      throw error;
    });
    yield { collection, wanted: indexes, found };
  }
}

/** Removes an index. It is no error if it, or its whole collection, does not exist. */
export async function dropIndex(connection: Connection, collection: string, name: string): Promise<void> {
  await dbOf(connection)
    .collection(collection)
    .dropIndex(name)
    .catch((error: unknown) => {
      if (!hasCode(error, NAMESPACE_NOT_FOUND, INDEX_NOT_FOUND)) {
        throw error;
      }
    });
}
