import DataLoader from 'dataloader';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { type AccountCorrection, type AccountStore, newId } from './accounts.ts';
import { asReviewed, DoctorFiles } from './doctor-files.ts';
import { matchedChange, matchedFieldsOf } from './doctor-matches.ts';
import {
  DOCUMENT_FIELDS,
  type DoctorDocumentPaths,
  type DoctorProfile,
  type DoctorProfileTexts,
  hasRenewal,
  notingReplaced,
  OPTIONAL_TEXTS,
  type Proposal,
  REQUIRED_TEXTS,
  someTextsOf,
} from './doctor-profile-record.ts';
import { inQueueOrder, type Queue, type QueuePlace, rangesAfter } from './doctor-queue.ts';
import { type EventNote, noting } from './event-notes.ts';
import { problemOfProfile } from './invalid-records.ts';
import { CONFIRMED, inBatchesOfRequests, type OwnedRecord, pagesBefore } from './store.ts';
import {
  endOf,
  firstTellAt,
  NOT_REVIEWED,
  type Reviewed,
  STORED_STATUSES,
  type StoredVerification,
  storedStatusOf,
} from './verification-record.ts';

export type { DocumentRemover } from './doctor-files.ts';
export {
  type DoctorDocumentPaths,
  type DoctorProfile,
  FIELD_OF_GROUP,
  hasRenewal,
  mayRenew,
  notingReplaced,
  type Proposal,
  type ProposalView,
  proposalOf,
  REVIEWED_FIELDS,
  type VerificationView,
  verificationView,
} from './doctor-profile-record.ts';
export { QUEUE_START, type Queue, type QueuePlace, queuePlaceOf } from './doctor-queue.ts';
export { TRASH_DAYS } from './swept-profiles.ts';
export {
  ALL_DOCUMENTS,
  ALL_GROUNDS,
  DOCTOR_DOCUMENTS,
  type DoctorDocument,
  documentsAskedFor,
  ENDING_MILLIS,
  endOf,
  firstTellAt,
  groundsOf,
  NOT_REVIEWED,
  REJECTION_GROUNDS,
  type RejectionGround,
  STORED_STATUSES,
  type StoredStatus,
  type StoredVerification,
  statusAt,
  storedStatusOf,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type Verification,
  type VerificationStatus,
  verificationAt,
} from './verification-record.ts';

/** The fields needed to know whether a profile can be shown, and its verification. The long texts stay in the database. */
const STATUS_FIELDS = [...REQUIRED_TEXTS, 'licenseFilePath', 'diplomaFilePath', 'verification', 'removal'];
const STATUS_PROJECTION = Object.fromEntries(STATUS_FIELDS.map((field) => [field, 1]));

const STATUSES: readonly unknown[] = Object.values(STORED_STATUSES);

/** Profiles are decoded without a break, a batch at a time. One may have 20,000 characters. */
const DECODED_AT_ONCE = 50;

/** The doctors with the same license number, or document. The accounts of some may be gone. */
const MAX_MATCHES = 20;

/** What a correction by a doctor stores. */
export interface DoctorCorrection {
  /** For the account. Those that stay are absent. */
  account: AccountCorrection;
  /** For the profile. Those that stay are absent. */
  texts: Partial<DoctorProfileTexts>;
  /** What waits for a decision from then on; undefined: nothing. */
  proposal: Proposal | undefined;
}

/**
 * The profiles of doctors, with their review and their documents.
 *
 * A profile has the id of its account, and is visible only through it. `verification` and `revision` are absent until the first
 * change. Documents that are submitted again wait in `resubmitted`, and the next decision moves them to the place of those of
 * the last one. A decision, resubmission or correction changes only the revision that was read, so of two at the same time, one
 * takes effect. What it changes in the account waits in `accountChange` until {@link finishAccountChange}.
 */
export class DoctorStore extends DoctorFiles {
  readonly #standings: DataLoader<string, Reviewed>;

  constructor(database: LimitedConnection, accounts: AccountStore) {
    super(database, accounts);
    this.#standings = new DataLoader((ids) => this.#standingsOf(ids), inBatchesOfRequests());
  }

  /**
   * Stores the profile of a doctor who registers: what nobody has reviewed.
   * @throws a duplicate key error if there is a profile with the id
   */
  insert(profile: DoctorProfile): Promise<void> {
    const texts = someTextsOf(profile, OPTIONAL_TEXTS);
    return this.records.insert({ ...profile, ...texts, ...matchedFieldsOf(profile) });
  }

  /** Takes an insert back. The path distinguishes the profile from that of an imported account with the same id. */
  async withdraw({ _id, licenseFilePath }: Pick<DoctorProfile, '_id' | 'licenseFilePath'>): Promise<void> {
    await this.records.remove({ _id, licenseFilePath });
  }

  /** @returns undefined if there is none, or it is being removed */
  async find(id: string): Promise<DoctorProfile | undefined> {
    const profile = await this.records.first({ _id: id });
    return profile && isVisible(profile) ? profile : undefined;
  }

  /** The profiles among these, by their ids. Without those that are being removed. */
  async findMany(ids: readonly string[]): Promise<ReadonlyMap<string, DoctorProfile>> {
    const found = await this.records.list({ _id: { $in: [...ids] } });
    return new Map(found.filter(isVisible).map((profile) => [profile._id, profile]));
  }

  /** What says whether a doctor is verified; {} (`pending`) if the profile is missing or cannot be shown. Simultaneous calls share a query. */
  standingOf(id: string): Promise<Reviewed> {
    return this.#standings.load(id);
  }

  /** What says whether each of these doctors is verified, as a majority has confirmed it. Others are left out. */
  async confirmedStandings(ids: readonly string[]): Promise<ReadonlyMap<string, Reviewed>> {
    const filter = { _id: { $in: [...ids] } };
    return standingsIn(await this.records.list(filter, { ...CONFIRMED, projection: STATUS_PROJECTION }));
  }

  async #standingsOf(ids: readonly string[]): Promise<Reviewed[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const byId = standingsIn(await this.records.list(filter, { projection: STATUS_PROJECTION }));
    return ids.map((id) => byId.get(id) ?? {});
  }

  /**
   * The next doctors behind a place in the queue. Each range of the queue is read from its index (the last four of
   * doctor-profile-record.ts); the order between the ranges is made here.
   */
  async queue(which: Queue, after: QueuePlace, limit: number, now: Date): Promise<DoctorProfile[]> {
    const found = await Promise.all(
      rangesAfter(after, which, now).map(({ filter, time }) => {
        return this.records.list(filter, { sort: { [time]: 1, _id: 1 }, limit, batchSize: DECODED_AT_ONCE });
      }),
    );
    return inQueueOrder(found.flat(), which).slice(0, limit);
  }

  /**
   * The doctors with the same license number or document as one, also as a proposal, or submitted again. Both queries have an index; with
   * many doctors they find some of them.
   */
  async matching({ _id, licenseKeys = [], documentHashes = [] }: DoctorProfile): Promise<DoctorProfile[]> {
    const sha256 = { $in: documentHashes.map((one) => one.sha256) };
    const filters = [{ 'documentHashes.sha256': sha256 }, { licenseKeys: { $in: licenseKeys } }];
    const found = await Promise.all(
      filters.map((filter) => {
        return this.records.list({ ...filter, removal: null }, { limit: MAX_MATCHES });
      }),
    );
    return [...new Map(found.flat().map((one) => [one._id, one])).values()].filter((one) => one._id !== _id);
  }

  /**
   * Stores a decision. Documents that were submitted again replace those of the last decision, unless they are a renewal that is not
   * accepted; the imported ones among those are noted in `replaced` until {@link removeReplacedFiles} has removed them. A proposal ends.
   * @param before the profile as it was read
   * @param isProposalAccepted whether the profile and the account become what the proposal says
   * @returns the profile after the decision, whose account may still have to take it ({@link finishAccountChange}); undefined if it was decided on, submitted again or corrected since it was read
   */
  async decide(
    before: DoctorProfile,
    verification: StoredVerification,
    isProposalAccepted: boolean,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const { proposal, resubmitted: waiting, ...profile } = await this.finishAccountChange(before);
    const resubmitted = hasRenewal(before) && !isProposalAccepted ? undefined : waiting;
    const replaced = notingReplaced(profile, { ...profile, ...resubmitted });
    const { name, submittedAt: _, ...texts } = (isProposalAccepted && proposal) || {};
    const account = name === undefined ? {} : { name };
    const after = {
      ...profile,
      ...resubmitted,
      ...replaced,
      verification,
      tellAt: tellAtOf(before, verification),
      ...correctionOf(profile, { account, texts }, verification.decidedAt ?? verification.submittedAt),
    };
    return (await this.#change(before, after, note)) ? after : undefined;
  }

  /**
   * Stores a correction by the doctor. A new proposal takes its place in the queue.
   * @param before the profile as it was read
   * @returns and leaves to its caller what {@link decide} does
   */
  async correct(
    before: DoctorProfile,
    { proposal, ...correction }: DoctorCorrection,
    now: Date,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const { proposal: _former, ...profile } = await this.finishAccountChange(before);
    const after = {
      ...profile,
      ...correctionOf(profile, correction, now),
      ...(proposal && { proposal }),
    };
    return (await this.#change(before, after, note)) ? after : undefined;
  }

  /** Stores a decision that only changes when the verification ends: all that waits stays. @returns what {@link decide} does */
  async changeEnd(
    before: DoctorProfile,
    verification: StoredVerification,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const profile = await this.finishAccountChange(before);
    const tellAt = tellAtOf(before, verification);
    const after = { ...profile, verification, tellAt, revision: (profile.revision ?? 0) + 1 };
    return (await this.#change(before, after, note)) ? after : undefined;
  }

  /** Doctors who are to be told that the verification ends, or of whom services are; those who have waited longest first. */
  toBeTold(now: Date, limit: number): Promise<DoctorProfile[]> {
    const projection = { verification: 1, tellAt: 1 };
    return this.records.list(
      { tellAt: { $lte: now }, removal: null },
      { projection, sort: { tellAt: 1 }, limit },
    );
  }

  /**
   * Records that a doctor was told.
   * @param next when to tell again; undefined: never
   * @returns false if another instance was faster
   */
  async noteTold({ _id, tellAt }: DoctorProfile, next: Date | undefined, note?: EventNote): Promise<boolean> {
    const change = next ? { $set: { tellAt: next } } : { $unset: { tellAt: true as const } };
    return this.records.update({ _id, tellAt, removal: null }, note ? noting(change, note) : change);
  }

  /** @returns false if the profile was changed since it was read */
  async #change(before: DoctorProfile, after: DoctorProfile, note: EventNote): Promise<boolean> {
    const change = noting(matchedChange(before, after), note);
    return this.records.update(asReviewed(before), change);
  }

  /**
   * Stores new documents beside those of the last decision. A rejected doctor is at the end of the queue then; a verified one stays
   * verified, and has a proposal.
   * @param before the profile as it was read
   * @param changed the new ones, with their hashes. The others wait for the decision, too
   * @returns the profile after it; undefined if the doctor is neither rejected nor verified, documents of a verified one wait already, or
   *   another request was faster
   */
  async resubmit(
    before: DoctorProfile,
    { documentHashes = [], ...changed }: Partial<DoctorDocumentPaths> & Pick<DoctorProfile, 'documentHashes'>,
    submittedAt: Date,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const { licenseFilePath, diplomaFilePath, certificationFilePath } = { ...before, ...changed };
    const { PENDING, VERIFIED, REJECTED } = STORED_STATUSES;
    const isRenewal = storedStatusOf(before) === VERIFIED && !before.resubmitted;
    const verification = { ...(before.verification ?? NOT_REVIEWED), status: PENDING, submittedAt };
    const after = {
      ...before,
      ...(isRenewal ? { proposal: { ...before.proposal, submittedAt } } : { verification }),
      revision: (before.revision ?? 0) + 1,
      resubmitted: { licenseFilePath, diplomaFilePath, certificationFilePath },
      documentHashes: [...(before.documentHashes ?? []), ...documentHashes],
    };
    const mayBe = isRenewal || storedStatusOf(before) === REJECTED;
    return mayBe && (await this.#change(before, after, note)) ? after : undefined;
  }

  /**
   * Records that a document gets new content under its name: a decision on the old one is refused, and the sweep hashes the new one.
   * @param times 0 if that is recorded already. Once too often does no harm after a kill
   */
  async noteNewContent(path: string, times: 0 | 1 = 1): Promise<void> {
    for (const field of DOCUMENT_FIELDS) {
      const $pull = { documentHashes: { path } };
      const change = { $inc: { revision: times }, $pull, $set: { unhashed: newId() } };
      await this.records.updateAll({ [field]: path }, change);
    }
  }

  /** The profiles that were created before a moment, in pages. A profile has the id of its account. */
  async *pagesBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    for await (const page of pagesBefore(moment, this.records.pages({ createdAt: 1 }))) {
      yield page.map(({ _id }) => ({ _id, accountId: _id }));
    }
  }
}

/** A removal that has begun may have taken documents. */
const isVisible = ({ removal }: DoctorProfile): boolean => !removal;

const standingsIn = (profiles: readonly DoctorProfile[]): ReadonlyMap<string, Reviewed> =>
  new Map(profiles.filter(isVisible).map((profile) => [profile._id, standingIn(profile)]));

function standingIn(profile: DoctorProfile): Reviewed {
  const { verification } = profile;
  // Another program may have stored another word.
  const isKnown = problemOfProfile(profile) === undefined && STATUSES.includes(storedStatusOf(profile));
  return isKnown && verification ? { verification } : {};
}

/** When a doctor is next told of the end that a decision gives. An unchanged end keeps its time. */
function tellAtOf(before: DoctorProfile, verification: StoredVerification): Date | undefined {
  const end = endOf({ verification });
  if (!end) {
    return undefined;
  }
  return end.getTime() === endOf(before)?.getTime()
    ? before.tellAt
    : firstTellAt(end, verification.decidedAt ?? end);
}

/** What a profile stores of a correction: the texts, and what its account is still to take. */
function correctionOf(
  { revision: former, corrected }: DoctorProfile,
  { account, texts }: Omit<DoctorCorrection, 'proposal'>,
  at: Date,
): Partial<DoctorProfile> {
  const revision = (former ?? 0) + 1;
  const names = Object.keys(texts);
  const marks = Object.fromEntries(names.map((name) => [name, true as const]));
  return {
    ...texts,
    revision,
    ...(names.length > 0 && { corrected: { ...corrected, ...marks } }),
    ...(Object.keys(account).length > 0 && { accountChange: { revision, at, fields: account } }),
  };
}
