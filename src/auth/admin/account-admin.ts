import type { Outbox } from '../../mail/outbox.ts';
import {
  type Account,
  type AccountCorrection,
  type AccountStore,
  type AdministeredAccount,
  hasSecondFactor,
  ROLES,
} from '../../stores/accounts.ts';
import type { AttemptStore } from '../../stores/attempts.ts';
import type { DoctorStore } from '../../stores/doctors.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { Ids } from '../../stores/ids.ts';
import type { OperatorActStore } from '../../stores/operator-acts.ts';
import type { Clock } from '../../system/clock.ts';
import { BadRequestError, NotFoundError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { randomBase62 } from '../../system/random.ts';
import type { AccountData } from '../account-data.ts';
import { noticeTo } from '../account-mails.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';
import { finishChange } from '../corrections.ts';
import { orderProof } from '../emails/email-link-tokens.ts';
import type { Features } from '../features.ts';
import { noteCommand } from '../operators/guarded-acts.ts';
import { againIfOvertaken } from '../overtaken-writes.ts';
import { BY_OPERATOR, type OwnerNotices } from '../owner-notices.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { emailTaken, insertAccount, refuseTakenEmail } from '../registration.ts';
import { forgetAttempts } from '../throttle/unlock.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import type { AccessToken } from '../tokens/token-lifetimes.ts';

interface AccountAdminParts extends LastOperatorParts {
  doctors: DoctorStore;
  attempts: AttemptStore;
  operatorActs: OperatorActStore;
  /** Of new accounts. */
  accountIds: Ids;
  accountData: AccountData;
  hasher: PasswordHasher;
  audit: AuditTrail;
  outbox: Outbox;
  notices: OwnerNotices;
  features: Features;
  clock: Clock;
  log: Logger;
}

/** The roles that an operator can give to a new account. Doctors register themselves, with their documents. */
export const CREATED_ROLES = [ROLES.REVIEWER, ROLES.PATIENT, ROLES.OPERATOR] as const;

/** A new account, checked like a registration. */
export interface NewAccount {
  role: (typeof CREATED_ROLES)[number];
  name: string;
  email: string;
  phone: string | null;
  /** undefined: nobody knows its password until its owner chooses one by a link. */
  password: string | undefined;
  /** True if it is disabled until its owner has set it up (operators/set-up.ts). */
  waitsForSetUp?: boolean;
}

/** 238 random bits. It is hashed and forgotten. */
export const UNKNOWN_PASSWORD_CHARACTERS = 40;

/** What operators do with accounts. Each act is in the audit trail before its method returns. */
export class AccountAdmin {
  constructor(private readonly parts: AccountAdminParts) {}

  /**
   * Creates an account. Only here are reviewers and operators made.
   * @throws ValidationError when the e-mail is taken
   */
  create({ password, waitsForSetUp, ...fields }: NewAccount, actor: Actor): Promise<Account> {
    const { accounts, accountIds, hasher, clock, audit } = this.parts;
    const { email } = fields;
    return recordedByOperator(audit, { act: 'account creation', email }, actor, async (note) => {
      await refuseTakenEmail(accounts, email);
      const passwordHash = await hasher.hash(password ?? randomBase62(UNKNOWN_PASSWORD_CHARACTERS));
      const createdAt = new Date(clock.now());
      const account = await accountIds.withNew((_id) =>
        insertAccount(accounts, {
          ...{ _id, ...fields, dateOfBirth: null, passwordHash, createdAt },
          disabledAt: waitsForSetUp ? createdAt : null,
          eventNotes: [note],
        }),
      );
      return { result: account, facts: { accountId: account.id } };
    });
  }

  /**
   * Gives an account another e-mail. Its sessions stay, its links and the proof of the e-mail end. Both addresses get a mail: the owner may not have
   * asked for this.
   * @param email checked like that of a registration
   * @returns false if the account has exactly this e-mail
   * @throws ValidationError when another account has the e-mail; NotFoundError when somebody has just changed or removed
   *   the account; BadRequestError if the legacy service does not have it any more
   */
  async setEmail(account: AdministeredAccount, email: string, actor: Actor): Promise<boolean> {
    const { accounts, accountData, operatorActs, clock, audit, log } = this.parts;
    const isChanged = await recordedByOperator(
      audit,
      accountSubject('e-mail change', account),
      actor,
      async (note) => {
        if (account.email === email) {
          return { result: false, facts: { failure: 'same e-mail' } };
        }
        refuseAbsent(account);
        await changeEmail(accounts, account, email, new Date(clock.now()), note);
        // They are invalid by now. What is left ends with its day.
        await accountData.endAfter('e-mail change', account.id);
        await noteCommand(operatorActs, account.id, 'e-mail change', { actor, clock, log });
        return { result: true };
      },
    );
    if (isChanged) {
      await this.#notifyBothAddresses(account);
    }
    return isChanged;
  }

  /**
   * Orders a mail with a link to a new e-mail, for an operator who is not at the server. The e-mail counts only when the link is used; until
   * then the account keeps the former one, which gets a notice at once. All sessions and links end.
   * @param email checked like that of a registration
   * @throws ValidationError when an account has the e-mail; NotFoundError if there are no links, or somebody has just changed or
   *   removed the account; BadRequestError if it is disabled
   */
  mailNewEmail(account: AdministeredAccount, email: string, actor: Actor): Promise<void> {
    const { accounts, accountData, outbox, features, clock, audit } = this.parts;
    return recordedByOperator(audit, accountSubject('e-mail change request', account), actor, async () => {
      if (!features.has('e-mail links')) {
        throw new NotFoundError('EMAIL_VERIFICATION_URL is not set: there are no links to mail.');
      }
      refuseDisabled(account);
      await refuseTakenEmail(accounts, email);
      const now = new Date(clock.now());
      const stored = await againIfOvertaken(async () => {
        const read = await accounts.findWithPassword(account.id);
        return read && (await accounts.requestEmailChange(read, email, now)) ? read : undefined;
      });
      if (!stored) {
        throw changedMeanwhile();
      }
      const revoked = await accountData.end('operator’s e-mail change request', account.id);
      const former = { ...stored, isProven: account.emailVerifiedAt !== null };
      const notice = noticeTo('e-mail change requested', former, { at: now.toISOString(), ...BY_OPERATOR });
      const facts = { email, ...BY_OPERATOR };
      await outbox.add({ kind: 'e-mail change', to: { accountId: account.id }, facts }, { notice });
      return { result: undefined, facts: { revoked } };
    });
  }

  async #notifyBothAddresses({ id, email, emailVerifiedAt, language }: AdministeredAccount): Promise<void> {
    const { notices, clock } = this.parts;
    // An account that another program has written may have none.
    if (typeof email === 'string') {
      const former = { email, language, isProven: emailVerifiedAt !== null };
      const facts = { at: new Date(clock.now()).toISOString(), ...BY_OPERATOR };
      await notices.send(noticeTo('e-mail changed', former, facts), id, '');
    }
    await notices.byOperator('e-mail changed', id);
  }

  /**
   * Corrects the name or the telephone of an account. That of a doctor counts at once, without a reviewer; a correction that the doctor has
   * proposed still waits.
   * @returns false if the account says so already
   * @throws BadRequestError if it is disabled, or a doctor would be without a telephone; NotFoundError when somebody has just changed or
   *   removed the account
   */
  correct(
    account: AdministeredAccount,
    fields: Pick<AccountCorrection, 'name' | 'phone'>,
    actor: Actor,
  ): Promise<boolean> {
    return recordedByOperator(
      this.parts.audit,
      accountSubject('correction', account),
      actor,
      async (note) => {
        const changed = Object.entries(fields).filter(
          ([name, value]) => Reflect.get(account, name) !== value,
        );
        if (changed.length === 0) {
          return { result: false, facts: { failure: 'nothing was different' } };
        }
        refuseDisabled(account);
        if (account.role === ROLES.DOCTOR && fields.phone === null) {
          throw new BadRequestError('A doctor needs a telephone.');
        }
        const correct = () => this.#correct(account, Object.fromEntries(changed), note);
        if (!(await againIfOvertaken(correct))) {
          throw changedMeanwhile();
        }
        return { result: true, facts: { cause: changed.map(([name]) => name).join(', ') } };
      },
    );
  }

  /** A doctor's change goes through the profile, so that a decision of a reviewer at this moment does not undo it. */
  async #correct(
    { id }: AdministeredAccount,
    fields: AccountCorrection,
    note: EventNote,
  ): Promise<true | undefined> {
    const { accounts, doctors, clock } = this.parts;
    const now = new Date(clock.now());
    const stored = await doctors.find(id);
    if (!stored) {
      return (await accounts.correct(id, fields, now, note)) && true;
    }
    const profile = await doctors.finishAccountChange(stored);
    const correction = { account: fields, texts: {}, proposal: profile.proposal };
    const after = await doctors.correct(profile, correction, now, note);
    if (after) {
      await finishChange(after, this.parts);
    }
    return after && true;
  }

  /**
   * Orders a mail with a link that proves the e-mail of an account.
   * @returns false if it is proven already
   * @throws NotFoundError if there are no links, or the account is disabled: the link would not work
   */
  mailProof(account: AdministeredAccount, actor: Actor): Promise<boolean> {
    const { outbox, features, audit } = this.parts;
    return recordedByOperator(audit, accountSubject('e-mail proof request', account), actor, async () => {
      if (!features.has('e-mail links')) {
        throw new NotFoundError('EMAIL_VERIFICATION_URL is not set: there are no links to mail.');
      }
      if (account.disabledAt) {
        throw new NotFoundError('The account is disabled: enable it first.');
      }
      if (account.emailVerifiedAt) {
        return { result: false, facts: { failure: 'proven already' } };
      }
      await orderProof(outbox, account, '');
      return { result: true };
    });
  }

  /**
   * Disables an account: logins to it are refused, and its sessions end (OWASP ASVS 7.4.2). Its e-mail stays taken. Its owner gets a mail.
   * @param forSetUp true if its owner is about to set it up: then it may be the last operator
   * @returns the time since which it is disabled, and the number of tokens that it had
   * @throws BadRequestError for the last operator
   */
  disable(
    account: AdministeredAccount,
    actor: Actor,
    { forSetUp = false } = {},
  ): Promise<{ disabledAt: Date; revoked: number }> {
    const { accounts, accountData, clock, audit } = this.parts;
    return recordedByOperator(audit, accountSubject('disabling', account), actor, async (note) => {
      if (!forSetUp) {
        await refuseLastOperator(this.parts, account.id);
      }
      const disabledAt = account.disabledAt ?? new Date(clock.now());
      const isChanged = await accounts.disable(account.id, disabledAt, note);
      // The operator gives a link to the person who sets the account up, and says so then.
      if (isChanged && !forSetUp) {
        await this.parts.notices.byOperator('account disabled', account.id, { at: disabledAt.toISOString() });
      }
      // A login that started before may have left a token since. What is left here is invalid, and ends before the account is enabled.
      const revoked = await accountData.endAfter('disabling', account.id);
      const failure = !isChanged && revoked === 0 && { failure: 'already disabled' };
      return { result: { disabledAt, revoked }, facts: { revoked, ...failure } };
    });
  }

  /**
   * Forgets the failed logins and the wrong codes of an account, so that its owner can log in at once. The limits of networks stay.
   * @returns false if nothing was counted
   */
  unlock(account: AdministeredAccount, actor: Actor): Promise<boolean> {
    const { attempts, audit } = this.parts;
    return recordedByOperator(audit, accountSubject('unlocking', account), actor, async () => {
      const isCounted = (await forgetAttempts(attempts, account)) > 0;
      return { result: isCounted, ...(!isCounted && { facts: { failure: 'no failed logins' } }) };
    });
  }

  /**
   * Enables an account: its owner can log in again, also if the account was closed, and gets a mail.
   * @returns false if it was not disabled
   * @throws BadRequestError if its erasure has started, the legacy service does not have it any more, or it is an operator's that was not
   *   set up
   */
  enable(account: AdministeredAccount, actor: Actor): Promise<boolean> {
    const { accounts, accountData, audit } = this.parts;
    return recordedByOperator(audit, accountSubject('enabling', account), actor, async (note) => {
      refuseAbsent(account);
      await this.#refuseWithoutFactor(account);
      // A login or a mail that was being written when the account was disabled may have left a token, which must not become valid.
      const revoked = account.disabledAt && { revoked: await accountData.end('enabling', account.id) };
      const isChanged = await accounts.enable(account.id, note);
      if (!isChanged && (await accounts.isErased(account.id))) {
        throw new BadRequestError('The account is being erased. It cannot be enabled any more.', {
          status: 409,
        });
      }
      if (isChanged) {
        await this.parts.notices.byOperator('account enabled', account.id);
      }
      return { result: isChanged, facts: { ...revoked, ...(!isChanged && { failure: 'not disabled' }) } };
    });
  }

  async #refuseWithoutFactor({ id, role }: AdministeredAccount): Promise<void> {
    const stored = role === ROLES.OPERATOR ? await this.parts.accounts.findById(id) : undefined;
    if (stored && !hasSecondFactor(stored)) {
      throw new BadRequestError('The operator has no second factor: use accounts set-up-link.', {
        status: 409,
      });
    }
  }
}

/**
 * Gives an account another e-mail.
 * @param account as it was read. If its e-mail has changed since, nothing happens
 * @throws ValidationError on `email` when another account has it, also one that registers at the same time;
 *   NotFoundError when the account has changed or gone, or its erasure has started
 */
async function changeEmail(
  accounts: AccountStore,
  { id, email: former }: AdministeredAccount,
  email: string,
  now: Date,
  note: EventNote,
): Promise<void> {
  const outcome = await accounts.setEmail(id, former, email, now, note);
  if (outcome === 'taken') {
    throw emailTaken();
  }
  if (outcome === 'changed') {
    throw changedMeanwhile();
  }
}

/** @throws BadRequestError */
export function refuseDisabled({ disabledAt }: AdministeredAccount): void {
  if (disabledAt) {
    throw new BadRequestError('The account is disabled: enable it first.', { status: 409 });
  }
}

/** How it is known whether somebody is left who can use the operators' API. */
export interface LastOperatorParts {
  accounts: AccountStore;
  /** True with OPERATOR_API: then the last operator stays. */
  keepsOperator: boolean;
}

/**
 * Somebody must be left who can use the operators' API.
 * @throws BadRequestError
 */
export async function refuseLastOperator(
  { accounts, keepsOperator }: LastOperatorParts,
  id: string,
): Promise<void> {
  if (!keepsOperator) {
    return;
  }
  const account = await accounts.findById(id);
  const isOne = account?.role === ROLES.OPERATOR && !account.disabledAt;
  if (isOne && (await accounts.countOperators()) <= 1) {
    throw new BadRequestError('It is the last operator: make another one first.', { status: 409 });
  }
}

const changedMeanwhile = (): NotFoundError =>
  new NotFoundError('The account was changed or removed meanwhile. Nothing was done.');

/**
 * The return of its row decides about such an account, not an operator (docs/migration.md).
 * @throws BadRequestError
 */
function refuseAbsent({ legacyAbsence }: AdministeredAccount): void {
  if (legacyAbsence) {
    throw new BadRequestError(
      'The legacy service does not have the account any more. When its row returns there, auth-gateway legacy sync opens it again.',
      { status: 409 },
    );
  }
}

interface TokenAdminParts {
  tokens: AccessTokens;
  accounts: AccountStore;
  accountData: AccountData;
  audit: AuditTrail;
}

/** What operators do with access tokens. Each act is in the audit trail before its method returns. */
export class TokenAdmin {
  constructor(private readonly parts: TokenAdminParts) {}

  /** The valid tokens of an account, the newest first. */
  tokensOf(account: AdministeredAccount): Promise<AccessToken[]> {
    return this.parts.tokens.list(account);
  }

  /** @throws NotFoundError when the account has no token of that id; the trail has a failure */
  revoke(account: AdministeredAccount, tokenId: string, actor: Actor): Promise<void> {
    const { audit, tokens } = this.parts;
    return recordedByOperator(audit, accountSubject('revocation', account), actor, async () => {
      const isRevoked = await tokens.revoke(account.id, tokenId);
      if (!isRevoked) {
        throw new NotFoundError('The account has no token of this id.');
      }
      return { result: undefined, facts: { tokenId } };
    });
  }

  /**
   * Revokes every token of an account, and ends the logins and acts that its owner has begun.
   * @returns how many. If there was none, the trail has a failure
   */
  revokeAll(account: AdministeredAccount, actor: Actor): Promise<number> {
    const { audit, accounts, accountData } = this.parts;
    return recordedByOperator(audit, accountSubject('revocation', account), actor, async () => {
      // First: a login that is under way sees it after it has issued its token.
      await accounts.renewAccess([account.id], 'operator’s revocation');
      const revoked = await accountData.end('operator’s revocation', account.id);
      return { result: revoked, facts: outcomeOf(revoked) };
    });
  }

  /**
   * Does for all accounts what {@link revokeAll} does for one (OWASP ASVS 7.4.5).
   * @returns how many. If there was none, the trail has a failure
   */
  revokeEveryones(actor: Actor): Promise<number> {
    const { audit, accounts, tokens } = this.parts;
    return recordedByOperator(audit, { act: 'revocation' }, actor, async () => {
      await accounts.renewEveryonesAccess('operator’s revocation');
      const revoked = await tokens.revokeEveryones();
      return { result: revoked, facts: outcomeOf(revoked) };
    });
  }
}

const outcomeOf = (revoked: number) => ({ revoked, ...(revoked === 0 && { failure: 'no tokens' }) });
