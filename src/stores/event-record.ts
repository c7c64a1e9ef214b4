import { Schema } from 'mongoose';

import type { EventType } from './event-types.ts';
import type { Role } from './roles.ts';
import type { VerificationStatus } from './verification-record.ts';

/** The state of an account for services: `erased` is final. */
export const EVENT_STATES = ['active', 'disabled', 'closed', 'erased'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** An account as services hear of it: never its name, e-mail or telephone. */
export interface EventAccount {
  id: string;
  /** null once it is erased. */
  role: Role | null;
  state: EventState;
  /** Of a doctor; null for all others, and once it is erased. */
  verification: VerificationStatus | null;
  /** When the verification of a verified doctor ends, or has ended, in seconds since the epoch. Absent: never. */
  verified_until?: number;
}

/** A published event. */
export interface StoredEvent {
  /** Its position: 1, 2, 3 … without a gap. */
  _id: number;
  /** The id of the audit event. */
  event: string;
  type: EventType;
  /** When it happened. Rows are not in this order. */
  at: Date;
  /** The act in the audit trail. */
  cause: string;
  /** As it is when the row is published; null: all accounts. */
  account: EventAccount | null;
  /** The access token that was revoked; null for more than one, and for all other types. */
  token: string | null;
  publishedAt: Date;
}

const required = { type: String, required: true };

export const eventSchema = new Schema<StoredEvent>(
  {
    _id: { type: Number, required: true },
    event: required,
    type: required,
    at: { type: Date, required: true },
    cause: required,
    account: {
      type: {
        id: required,
        role: { type: String, default: null },
        state: required,
        verification: { type: String, default: null },
        verified_until: Number,
      },
      default: null,
    },
    token: { type: String, default: null },
    publishedAt: { type: Date, required: true },
  },
  { collection: 'events' },
);
// An event is published once, however many instances try.
eventSchema.index({ event: 1 }, { unique: true });
