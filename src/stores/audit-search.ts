import type { mongo } from 'mongoose';
import { type AuditEvent, eventOf, type StoredAuditEvent } from './audit-event-record.ts';
import { emailDigest } from './email-key.ts';

/** The conditions of a search. An undefined one does not apply. */
export interface AuditSearch {
  email?: string | undefined;
  accountId?: string | undefined;
  /** The account that acted on others, such as a reviewer. */
  byAccountId?: string | undefined;
  act?: string | undefined;
  outcome?: string | undefined;
  /** The address of the sender, as it is stored. */
  ip?: string | undefined;
  since?: Date | undefined;
  /** Events before this moment. */
  until?: Date | undefined;
  /** The number of events, the newest ones. Only with a limit are they held in memory. */
  limit?: number | undefined;
  /** Only with a limit: the events before this one. */
  afterId?: string | undefined;
}

/** The conditions of a page. */
export type AuditPageSearch = Pick<
  AuditSearch,
  'accountId' | 'byAccountId' | 'act' | 'outcome' | 'since' | 'until'
>;

/** A part of the events that a search finds, the newest first. */
export interface AuditPage {
  events: AuditEvent[];
  /** The id after which the next page begins; null at the end. */
  nextAfter: string | null;
}

/** The place of an event in the list. */
export type Place = Pick<StoredAuditEvent, '_id' | 'at'>;

/** True if an event comes after a place in the list of the newest. */
export const isBehind = (event: Place, place: Place): boolean =>
  event.at.getTime() === place.at.getTime() ? event._id < place._id : event.at < place.at;

/** @param lastId of the last event that was examined, if there may be more */
export function pageOf(events: readonly StoredAuditEvent[], first: number, lastId: string | null): AuditPage {
  const shown = events.slice(0, first);
  const nextAfter = events.length > first ? (shown.at(-1)?._id ?? null) : lastId;
  return { events: shown.map(eventOf), nextAfter };
}

type Condition = Partial<Pick<StoredAuditEvent, 'accountId' | 'emailDigest' | 'byAccountId'>> & {
  [field in 'act' | 'outcome' | 'ip']?: string;
};

/**
 * The conditions of a search. The first one has an index with the time. A reviewer has acted on more accounts than anybody has acted on
 * one.
 * @param last the moment of the event after which the list continues
 */
export function conditionsOf(
  { email, accountId, byAccountId, act, outcome, ip, since, until }: Omit<AuditSearch, 'limit' | 'afterId'>,
  last: Date | undefined,
) {
  const indexed: Condition[] = [
    ...(accountId === undefined ? [] : [{ accountId }]),
    ...(email === undefined ? [] : [{ emailDigest: emailDigest(email) }]),
    ...(byAccountId === undefined ? [] : [{ byAccountId }]),
  ];
  const others: Condition[] = [
    ...(act === undefined ? [] : [{ act }]),
    ...(outcome === undefined ? [] : [{ outcome }]),
    ...(ip === undefined ? [] : [{ ip }]),
  ];
  const ends = [
    ...(until === undefined ? [] : [until.getTime() - 1]),
    ...(last === undefined ? [] : [last.getTime()]),
  ];
  const range = {
    ...((since !== undefined || ends.length > 0) && { $gte: since ?? new Date(0) }),
    ...(ends.length > 0 && { $lte: new Date(Math.min(...ends)) }),
  };
  const at = Object.keys(range).length > 0 && { at: range };
  return {
    first: indexed[0] as mongo.Filter<StoredAuditEvent> | undefined,
    others: [...indexed.slice(1), ...others],
    at,
  };
}

export const meets = (event: StoredAuditEvent, condition: Condition): boolean =>
  Object.entries(condition).every(([field, value]) => event[field as keyof Condition] === value);
