import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { DAY_MILLIS } from '../system/calendar.ts';
import { emailKey } from './email-key.ts';
import type { InvitedRole } from './roles.ts';
import { overAt, Store } from './store.ts';

/** An invitation to register. The plain text of its token is only in the mail. */
export interface StoredInvitation {
  _id: string;
  email: string;
  /** {@link emailKey} of the e-mail, which has one invitation at a time. */
  emailKey: string;
  role: InvitedRole;
  /** The name of the person, as the operator knows it. */
  name: string;
  /** Until when it can be used. */
  expiresAt: Date;
  /** SHA-256 of the token that was mailed last, in hex. Absent until the mail is written, and after the end. */
  tokenDigest?: string;
  /** The account that is inserted by it. If this account exists, the invitation is used, even if a kill has left no `end`. */
  accountId?: string;
  /** Until then a registration may be under way that uses it. */
  busyUntil?: Date;
  end?: 'used' | 'withdrawn';
  /** When the database removes it. */
  removedAt: Date;
}

export const invitationSchema = new Schema<StoredInvitation>(
  {
    _id: { type: String, required: true },
    email: { type: String, required: true },
    emailKey: { type: String, required: true },
    role: { type: String, required: true },
    name: { type: String, required: true },
    expiresAt: { type: Date, required: true },
    removedAt: { type: Date, required: true },
    tokenDigest: String,
    accountId: String,
    busyUntil: Date,
    end: String,
  },
  { collection: 'invitations' },
);
invitationSchema.index({ emailKey: 1 }, { unique: true });
invitationSchema.index({ tokenDigest: 1 }, { sparse: true });
invitationSchema.index({ accountId: 1 }, { sparse: true });
// Those who have not come, among all that have.
invitationSchema.index({ end: 1, _id: 1 });
invitationSchema.index({ removedAt: 1 }, { expireAfterSeconds: 0 });

export const INVITATION_DAYS = 7;
/** How long an invitation is kept after its end. */
const KEPT_MILLIS = 30 * DAY_MILLIS;
/** Far longer than a registration takes from the look at its invitation to the insert of its account. */
const BUSY_MILLIS = 60_000;
export const MAX_INVITATIONS = 500;

/** The driver's types do not know that null finds an absent field. */
const OPEN = { end: null as never };

const from = (now: Date, millis: number): Date => new Date(now.getTime() + millis);

/** A new time for an invitation. */
const validFrom = (now: Date) => ({
  expiresAt: from(now, INVITATION_DAYS * DAY_MILLIS),
  removedAt: from(now, INVITATION_DAYS * DAY_MILLIS + KEPT_MILLIS),
});

/** The invitations. Each decision is one write under its condition. */
export class InvitationStore extends Store<StoredInvitation> {
  constructor(database: LimitedConnection) {
    super(database, invitationSchema);
  }

  /** @returns undefined if the e-mail has one that is neither used nor withdrawn. Of simultaneous calls, one gets it */
  async insert(
    invited: Pick<StoredInvitation, '_id' | 'email' | 'role' | 'name'>,
    now: Date,
  ): Promise<StoredInvitation | undefined> {
    const key = emailKey(invited.email);
    await this.records.remove({ emailKey: key, end: { $in: ['used', 'withdrawn'] } });
    const invitation = { ...invited, emailKey: key, ...validFrom(now) };
    return (await isUnique(this.records.insert(invitation), 'emailKey')) ? invitation : undefined;
  }

  find(id: string): Promise<StoredInvitation | undefined> {
    return this.records.first({ _id: id });
  }

  /** @returns undefined for a token that is unknown, void, or expired at `now` */
  findByToken(tokenDigest: string, now: Date): Promise<StoredInvitation | undefined> {
    return this.records.first({ tokenDigest, expiresAt: { $gt: now } });
  }

  /** The newest open invitations: neither used nor withdrawn. They may have expired. */
  open(): Promise<StoredInvitation[]> {
    return this.records.list(OPEN, { sort: { _id: -1 }, limit: MAX_INVITATIONS });
  }

  /** The invitation of a person with an account. @param email undefined if it is not proven */
  ofPerson(accountId: string, email: string | undefined): Promise<StoredInvitation[]> {
    return this.records.list(ofPerson(accountId, email), { limit: MAX_INVITATIONS });
  }

  /** Removes what is stored about a person. */
  async removeOf(accountId: string, email: string | undefined): Promise<void> {
    await this.records.removeAll(ofPerson(accountId, email));
  }

  /** Gives an invitation its token, in place of an earlier one. @returns false if it has ended, or is expired at `now` */
  setToken(id: string, tokenDigest: string, now: Date): Promise<boolean> {
    const filter = { _id: id, ...OPEN, expiresAt: { $gt: now } };
    return this.records.update(filter, { $set: { tokenDigest } });
  }

  /** Begins the time of an invitation again, and makes its token void. @returns false if it has ended */
  renew(id: string, now: Date): Promise<boolean> {
    const change = { $set: validFrom(now), $unset: { tokenDigest: true as const } };
    return this.records.update({ _id: id, ...OPEN }, change);
  }

  /**
   * Notes the account that is inserted next by an invitation.
   * @param found as it was found by its token
   * @returns false if it has ended or expired, or the token is void
   */
  begin({ _id, tokenDigest = '' }: StoredInvitation, accountId: string, now: Date): Promise<boolean> {
    const filter = { _id, ...OPEN, tokenDigest, expiresAt: { $gt: now } };
    return this.records.update(filter, { $set: { accountId, busyUntil: from(now, BUSY_MILLIS) } });
  }

  /** Ends an invitation. @param end `withdrawn` does not end one whose registration may be under way. @returns false if it has not */
  end(id: string, end: 'used' | 'withdrawn', now: Date): Promise<boolean> {
    const free = end === 'withdrawn' && { busyUntil: overAt(now, BUSY_MILLIS) };
    const change = {
      $set: { end, removedAt: from(now, KEPT_MILLIS) },
      $unset: { tokenDigest: true as const },
    };
    return this.records.update({ _id: id, ...OPEN, ...free }, change);
  }
}

const ofPerson = (accountId: string, email: string | undefined) => ({
  $or: [{ accountId }, ...(email === undefined ? [] : [{ emailKey: emailKey(email) }])],
});
