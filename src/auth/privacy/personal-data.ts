import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { type Account, emailVerifiedAtOf, toAccount, type WithOrigins } from '../../stores/accounts.ts';
import type { AuditEvent } from '../../stores/audit-events.ts';
import { textsOf } from '../../stores/doctor-profile-record.ts';
import { type DoctorProfile, proposalOf, verificationView } from '../../stores/doctors.ts';
import type { PendingMessage } from '../../stores/messages.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';
import type {
  AccountData,
  PasskeyData,
  PendingEmailLink,
  PendingReset,
  SecondFactorData,
} from '../account-data.ts';
import { type Invitation, toInvitation } from '../admin/invitation-admin.ts';
import { shownDevices } from '../tokens/devices.ts';

/** Everything that the gateway holds about a person (GDPR articles 15 and 20). */
export interface PersonalData {
  generatedAt: Date;
  account: PersonalAccount;
  profile: DoctorProfile | null;
  tokens: PersonalToken[];
  passwordResets: PendingReset[];
  emailLinks: PendingEmailLink[];
  /** null if there is none. */
  secondFactor: SecondFactorData | null;
  passkeys: PasskeyData[];
  invitations: Omit<Invitation, 'id'>[];
  mails: PendingMessage[];
  /** The newest first. */
  events: PersonalEvent[];
  /** True if there are more tokens or events than the list has. */
  isTruncated: boolean;
}

/** An account with all that is stored about it, but secrets and digests. */
export interface PersonalAccount extends Account {
  disabledAt: Date | null;
  /** When it will be erased; null if it was not closed. */
  erasureDueAt: Date | null;
  /** Of the mails to it; null if it is unknown. */
  language: string | null;
  /** From how many networks it has logged in lately. The gateway has only digests of them. */
  knownNetworks: number;
  /** The names of the devices that it has logged in from lately. */
  knownDevices: string[];
}

/** An access token without its hash. */
export interface PersonalToken {
  id: string;
  name: string;
  abilities: string[] | null;
  createdAt: Date | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** The program that it was issued to; null if that is not known. */
  device: string | null;
  /** The address that it was issued to; null if that is not known. */
  ip: string | null;
  /** True if it was issued by the service that was here before. */
  isImported: boolean;
}

/** An event of the audit trail, as the person whom it is about or who caused it may see it. */
export interface PersonalEvent extends Pick<AuditEvent, 'act' | 'outcome' | 'at' | 'channel'> {
  /** Of the sender; null if the act was somebody else's, such as an operator's. */
  ip: string | null;
  userAgent: string | null;
  /** How many acts this event sums up. */
  count: number;
  /** When the last of them happened. */
  lastAt: Date;
}

/** The newest tokens and events of an export. Neither has a limit of its own. */
const MAX_LISTED = 1_000;

/** Collects everything that the gateway holds about a person. */
export class PersonalDataExport {
  constructor(
    private readonly stores: Pick<
      Stores,
      'accessTokens' | 'accounts' | 'auditEvents' | 'doctors' | 'invitations'
    >,
    private readonly accountData: AccountData,
    private readonly clock: Clock,
  ) {}

  /**
   * Collects the data of an account. Hashes, digests and tokens in clear are never part of it.
   * @returns undefined if the account does not exist
   * @throws the database's error
   */
  async collect(accountId: string): Promise<PersonalData | undefined> {
    const { accounts, doctors } = this.stores;
    const stored = await accounts.findWithOrigins(accountId);
    if (!stored) {
      return undefined;
    }
    const [profile, tokens, events, passwordResets, emailLinks, secondFactor, passkeys, mails, invited] =
      await Promise.all([
        doctors.find(accountId),
        this.#tokens(accountId),
        this.#events(accountId),
        this.accountData.pendingResets(accountId),
        this.accountData.pendingEmailLinks(accountId),
        this.accountData.secondFactor(stored),
        this.accountData.passkeys(stored),
        this.accountData.pendingMails(stored),
        // A person who registered a stranger's e-mail must not see the stranger's invitation.
        this.stores.invitations.ofPerson(accountId, emailVerifiedAtOf(stored) ? stored.email : undefined),
      ]);
    return {
      generatedAt: new Date(this.clock.now()),
      account: toPersonalAccount(toAccount(stored), stored),
      profile: profile ?? null,
      tokens: tokens.slice(0, MAX_LISTED),
      passwordResets,
      emailLinks,
      secondFactor,
      passkeys,
      invitations: invited.map(toInvitation),
      mails,
      events: events.slice(0, MAX_LISTED),
      isTruncated: tokens.length > MAX_LISTED || events.length > MAX_LISTED,
    };
  }

  /** One more than the limit, to see whether there are more. */
  async #tokens(accountId: string): Promise<PersonalToken[]> {
    const tokens = await this.stores.accessTokens.list(accountId, MAX_LISTED + 1);
    return tokens.map(toPersonalToken);
  }

  async #events(accountId: string): Promise<PersonalEvent[]> {
    const events = await this.stores.auditEvents.newest(accountId, MAX_LISTED + 1);
    return events.map((event) => toPersonalEvent(event, accountId));
  }
}

/** An account as its owner may see it. */
function toPersonalAccount(account: Account, stored: WithOrigins): PersonalAccount {
  return {
    ...account,
    disabledAt: stored.disabledAt ?? null,
    erasureDueAt: stored.erasureDueAt ?? null,
    language: stored.language ?? null,
    knownNetworks: new Set([...(stored.knownPlaces ?? []), ...(stored.codePlaces ?? [])]).size,
    knownDevices: shownDevices(stored.knownDevices),
  };
}

function toPersonalToken(token: StoredAccessToken): PersonalToken {
  const { _id, name, abilities, createdAt, lastUsedAt, expiresAt, device, ip, imported } = token;
  return {
    id: _id,
    name,
    abilities: abilities ?? null,
    createdAt: createdAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
    expiresAt: expiresAt ?? null,
    device: device ?? null,
    ip: ip ?? null,
    isImported: imported === true,
  };
}

/**
 * An event without what is about others, or about the inside of the gateway. Earlier versions have stored less.
 * @param accountId of the person who gets it
 */
function toPersonalEvent(event: AuditEvent, accountId: string): PersonalEvent {
  const { act, outcome, at, channel } = event;
  const isOwn = !event.operator && (event.byAccountId ?? accountId) === accountId;
  return {
    act,
    outcome,
    at,
    channel,
    ip: (isOwn && event.ip) || null,
    userAgent: (isOwn && event.userAgent) || null,
    count: event.count ?? 1,
    lastAt: event.lastAt ?? at,
  };
}

/** Presents the data of a person, with links to the documents instead of stored paths; undefined: without any. */
export const presentPersonalData = (data: PersonalData, urls: DocumentUrls | undefined) => ({
  ...data,
  profile: data.profile && presentProfile(data.profile, urls, data.generatedAt.getTime()),
});

function presentProfile(profile: DoctorProfile, urls: DocumentUrls | undefined, nowMillis: number) {
  const { createdAt, resubmitted } = profile;
  const urlOf = (path: string | null | undefined) => urls?.urlOf(path ?? null);
  return {
    ...textsOf(profile),
    licenseFileUrl: urlOf(profile.licenseFilePath),
    diplomaFileUrl: urlOf(profile.diplomaFilePath),
    certificationUrl: urlOf(profile.certificationFilePath),
    createdAt,
    proposal: proposalOf(profile),
    verification: verificationView(profile, nowMillis),
    resubmittedLicenseFileUrl: urlOf(resubmitted?.licenseFilePath),
    resubmittedDiplomaFileUrl: urlOf(resubmitted?.diplomaFilePath),
    resubmittedCertificationUrl: urlOf(resubmitted?.certificationFilePath),
  };
}
