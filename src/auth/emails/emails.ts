import type { Outbox } from '../../mail/outbox.ts';
import {
  type Account,
  type AccountStore,
  emailVerifiedAtOf,
  type StoredAccount,
} from '../../stores/accounts.ts';
import { emailDigest, emailKey } from '../../stores/email-key.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { InvalidCredentialsError, InvalidEmailTokenError, ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AccountData } from '../account-data.ts';
import { noticeTo } from '../account-mails.ts';
import type { AuditSubject } from '../audit/audit-trail.ts';
import { accountSubject, nameAccount, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { Features } from '../features.ts';
import { BY_OPERATOR, type OwnerNotices } from '../owner-notices.ts';
import { asFieldError, type Reauthenticator } from '../passwords/reauthenticator.ts';
import { commit } from '../running-act.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import { during } from '../throttle/throttle-limits.ts';
import type { Session } from '../tokens/sessions.ts';
import type { AdmittedEnrolment } from '../two-factor/enrolment-access.ts';
import type { FullProof } from '../two-factor/second-factor.ts';
import {
  canBeUsed,
  type EmailLinkTokens,
  isBeingCorrected,
  LINK_PAUSE_MILLIS,
  orderProof,
} from './email-link-tokens.ts';

interface EmailsParts {
  features: Features;
  accounts: AccountStore;
  emailLinkTokens: EmailLinkTokens;
  accountData: AccountData;
  reauthenticator: Reauthenticator;
  acts: RecordedActs;
  loginThrottle: LoginThrottle;
  actThrottle: ActThrottle;
  outbox: Outbox;
  notices: OwnerNotices;
  clock: Clock;
  log: Logger;
}

export interface EmailChangeRequest extends FullProof {
  email: string;
  /** The password of the account. */
  password?: string | undefined;
}

const BEING_CORRECTED =
  'An operator has changed the email address. Use the link that was mailed there, or ask the operator.';

/**
 * Proves and changes e-mails by links that are mailed to them (docs/contract.md, "A proven e-mail"). A proof is a state beside the
 * account: no login asks for it. It names the key of the e-mail and counts only while that is the account's, so every writer of the e-mail
 * ends it. No link is used up: one write of the account decides, under the condition of everything that the link is bound to. A pending
 * change is the digest of the new e-mail; the e-mail itself is only in the order of the mail and in the link. Its input is already validated.
 */
export class Emails {
  constructor(private readonly parts: EmailsParts) {}

  /**
   * Orders the first link of a new account. The registration has succeeded by then, so this never fails.
   * @param account as the registration has stored it
   */
  async welcome(account: Account, { ip }: Caller): Promise<void> {
    const { features, outbox, log } = this.parts;
    if (features.has('e-mail links')) {
      await orderProof(outbox, account, ip).catch((err: unknown) => {
        log.warn(
          { err, accountId: account.id },
          'the mail to prove the e-mail of a new account was not ordered',
        );
      });
    }
  }

  /**
   * Orders a mail with a link that proves the e-mail of the caller's account. Requests count with the failed logins from there, and
   * by the e-mail and the place they come from.
   * @param admitted by a token, or by the challenge of a login that has to set up a second factor first
   * @returns false if the e-mail is proven already: then no mail is sent
   * @throws TooManyAttemptsError, ServiceUnavailableError
   */
  async requestVerification({ account }: AdmittedEnrolment, caller: Caller): Promise<boolean> {
    const { acts, loginThrottle, outbox } = this.parts;
    return acts.record(accountSubject('e-mail proof request', account), caller, async () => {
      if (account.emailVerifiedAt) {
        return { result: false, facts: { failure: 'proven already' } };
      }
      const counting = loginThrottle.countLinkRequest('email', { email: account.email, ip: caller.ip });
      await during(counting, () => commit(() => orderProof(outbox, account, caller.ip)));
      return { result: true };
    });
  }

  /**
   * Orders a mail with a link to a new e-mail, and a notice to the present one. It does not look whether another account has the
   * new one. That is done when the mail is written, so answer and time are the same for every e-mail (OWASP ASVS 6.3.8).
   * @throws ValidationError on `password` when it is wrong, and on `email` when the account has it; TooManyAttemptsError,
   *   ServiceUnavailableError
   */
  async requestChange(request: EmailChangeRequest, { account }: Session, caller: Caller): Promise<void> {
    const { acts, reauthenticator, clock } = this.parts;
    const asked = acts.record(accountSubject('e-mail change request', account), caller, async () => {
      if (emailKey(request.email) === emailKey(account.email)) {
        throw new ValidationError({
          email: broken('same', 'The email field and the current email must be different.'),
        });
      }
      const stored = await reauthenticator.check(account, request.password, caller, request);
      if (isBeingCorrected(stored, clock.now())) {
        throw new ValidationError({ email: broken('state', BEING_CORRECTED) });
      }
      await this.#countAndOrder(stored, request.email, caller);
      return { result: undefined };
    });
    return asked.catch((error: unknown) => {
      throw asFieldError(error, 'password');
    });
  }

  /**
   * Counts a change by its account and by the new e-mail, and orders it. The link waits for the notice: no e-mail changes before its
   * owner can know.
   */
  #countAndOrder(account: StoredAccount, email: string, { ip }: Caller): Promise<void> {
    const { accounts, loginThrottle, actThrottle, outbox } = this.parts;
    const order = async () => {
      if (!(await commit(() => accounts.requestEmailChange(account, email)))) {
        throw new InvalidCredentialsError('changed meanwhile');
      }
      const notice = this.#noticeOf('e-mail change requested', account);
      const link = { kind: 'e-mail change', to: { accountId: account._id }, facts: { email } } as const;
      const limit = { key: `e-mail change ${emailDigest(email)}`, perMillis: LINK_PAUSE_MILLIS };
      await outbox.add(link, { limit, orderedFrom: ip, notice });
    };
    return during(actThrottle.count('email-changes', account._id), () =>
      during(loginThrottle.countLinkRequest('email', { email, ip }), order),
    );
  }

  /**
   * Uses a mailed link: it proves the e-mail of its account, or gives the account the e-mail that its owner has asked for. An attempt
   * with an invalid token counts with the failed logins from there. One with a valid token passes in any case: nobody guesses 256 bits.
   * @throws NotFoundError if there are no links; InvalidEmailTokenError when the token is unknown, used or expired, or does not fit
   *   its account any more; TooManyAttemptsError, ServiceUnavailableError
   */
  async verify(token: string, caller: Caller): Promise<void> {
    const { acts, features, loginThrottle } = this.parts;
    features.demand('e-mail links');
    const subject: AuditSubject = { act: 'e-mail proof' };
    return acts.record(subject, caller, async (note) => {
      await this.#useLink(token, subject, note, caller).catch(async (error: unknown) => {
        if (error instanceof InvalidEmailTokenError) {
          await loginThrottle.countSender(caller.ip);
        }
        throw error;
      });
      return { result: undefined };
    });
  }

  /**
   * One write of the account decides. After it the link does not fit its account any more, so of simultaneous requests one
   * succeeds; and if the process dies before it, the link still works.
   * @param subject gets the account and the act as soon as they are known
   */
  async #useLink(token: string, subject: AuditSubject, note: EventNote, caller: Caller): Promise<void> {
    const { emailLinkTokens, accounts, clock, log } = this.parts;
    const link = await emailLinkTokens.find(token);
    const account = link && (await accounts.findWithPassword(link.accountId));
    if (!account || !canBeUsed(link, account)) {
      throw new InvalidEmailTokenError();
    }
    nameAccount(subject, account);
    const now = new Date(clock.now());
    if (link.newEmail !== undefined) {
      subject.act = 'e-mail change';
      const ofChange = { ...note, act: subject.act };
      return this.#finishChange(account, link.newEmail, now, ofChange, caller);
    }
    if (!(await commit(() => accounts.proveEmail(account, now, note)))) {
      throw new InvalidEmailTokenError();
    }
    // The e-mail is proven by now, and a link that is left proves nothing.
    await emailLinkTokens.remove(link).catch((err: unknown) => {
      log.warn({ err, accountId: account._id }, 'a link that has proven an e-mail was not removed');
    });
  }

  async #finishChange(
    account: StoredAccount,
    email: string,
    now: Date,
    note: EventNote,
    { ip }: Caller,
  ): Promise<void> {
    const { accounts, accountData, notices } = this.parts;
    // Another account may have got the e-mail since the link was mailed.
    const finish = () => accounts.finishEmailChange(account, email, now, note);
    if (!(await commit(async () => (await finish()) === 'set'))) {
      throw new InvalidEmailTokenError();
    }
    await notices.send(this.#noticeOf('e-mail changed', account), account._id, ip);
    await accountData.endAfter('e-mail change', account._id);
  }

  /** A notice to the e-mail that an account has now: it is sent there even if the account has another one by then. */
  #noticeOf(kind: 'e-mail change requested' | 'e-mail changed', account: StoredAccount) {
    const at = new Date(this.parts.clock.now()).toISOString();
    const { email, language, emailChange } = account;
    const by = kind === 'e-mail changed' && emailChange?.byOperator && BY_OPERATOR;
    return noticeTo(kind, { email, language, isProven: emailVerifiedAtOf(account) !== null }, { at, ...by });
  }
}
