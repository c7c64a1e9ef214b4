import { randomBytes } from 'node:crypto';
import {
  type AccountStore,
  factorIdsOf,
  hasOnlyOnePasskey,
  newId,
  passkeysOf,
  type StoredAccount,
} from '../../stores/accounts.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { PasskeyStore, StoredPasskey } from '../../stores/passkeys.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import {
  InsufficientAccessError,
  InvalidPasskeyError,
  NoPasskeysError,
  NotFoundError,
  ServiceUnavailableError,
  ValidationError,
} from '../../system/errors.ts';
import { type AccountData, type PasskeyData, passkeyDataOf } from '../account-data.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import { onPassword, type Reauthenticator } from '../passwords/reauthenticator.ts';
import { commit } from '../running-act.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import { deviceOf } from '../tokens/devices.ts';
import type { Session } from '../tokens/sessions.ts';
import type { AdmittedEnrolment, EnrolmentAccess } from '../two-factor/enrolment-access.ts';
import type { LoginChallenges } from '../two-factor/login-challenges.ts';
import type { TwoFactorPolicy } from '../two-factor/policy.ts';
import type { Reauthentication } from '../two-factor/two-factor.ts';
import type { CeremonyOptions, KnownCredential } from './ceremonies.ts';
import type { PasskeyProofs, PasskeyTools } from './passkey-proofs.ts';
import { readNewPasskey } from './presented-passkey.ts';

interface OwnPasskeysParts {
  /** undefined without PASSKEY_RP_ID: then there are no passkeys here. */
  passkeyTools: PasskeyTools | undefined;
  passkeys: PasskeyStore;
  passkeyProofs: PasskeyProofs;
  accounts: AccountStore;
  accountData: AccountData;
  enrolmentAccess: EnrolmentAccess;
  loginChallenges: LoginChallenges;
  reauthenticator: Reauthenticator;
  twoFactorPolicy: TwoFactorPolicy;
  loginThrottle: LoginThrottle;
  acts: RecordedActs;
  notices: OwnerNotices;
  clock: Clock;
}

/** The passkeys of an account, as its owner sees them. */
export interface ListedPasskeys {
  /** What authenticators call the account, in base64url; null if it never began to add one. */
  userHandle: string | null;
  passkeys: PasskeyData[];
}

/** What a browser has made with the options of an addition. Of any type. */
interface Addition {
  credential?: unknown;
  name?: string | undefined;
}

export const MAX_PASSKEYS = 20;
const HANDLE_BYTES = 32;
/** For a program that says nothing of itself. */
const DEFAULT_NAME = 'Passkey';

/** What owners do with their passkeys (docs/contract.md, "Passkeys"). Its input is already validated. */
export class OwnPasskeys {
  constructor(private readonly parts: OwnPasskeysParts) {}

  /**
   * The options to prove somebody who is logged in. What they give takes the place of a password and a second factor.
   * @throws NoPasskeysError; NotFoundError if the account has no passkey
   */
  async confirmOptions({ account }: Session, caller: Caller): Promise<CeremonyOptions> {
    const { enrolmentAccess, passkeyProofs } = this.parts;
    const { ceremonies, challenges } = this.#on();
    const stored = await caller.timeBudget.within(() => enrolmentAccess.read(account));
    if (passkeyProofs.idsOf(stored).length === 0) {
      throw new NotFoundError('The account has no passkey.');
    }
    const present = await caller.timeBudget.within(() => this.#credentialsOf(stored));
    return ceremonies.useOptions(challenges.make('confirm', stored), present);
  }

  /**
   * The options of an addition. The owner is proven here: a wrong password after the ceremony would leave a dead passkey on the device.
   * @throws NoPasskeysError; ValidationError on `password`, `code` and `credential`, and on `email` if it must be proven first;
   *   TooManyAttemptsError, ServiceUnavailableError
   */
  async addOptions(
    { password, ...proof }: Reauthentication,
    { account }: AdmittedEnrolment,
    caller: Caller,
  ): Promise<CeremonyOptions> {
    const { acts, enrolmentAccess, reauthenticator } = this.parts;
    const { ceremonies, challenges } = this.#on();
    const begun = acts.record(accountSubject('passkey setup', account), caller, async () => {
      enrolmentAccess.demandProvenEmail(account);
      const proven = await reauthenticator.check(account, password, caller, proof);
      refuseTooMany(proven);
      const stored = await this.#withHandle(proven);
      const { handle } = passkeysOf(stored);
      const { email, name } = stored;
      const owner = { handle: handle ?? '', email, name, present: await this.#credentialsOf(stored) };
      // Bound to the password that was proven, not to one that has been set since.
      return { result: await ceremonies.addOptions(challenges.make('add', proven), owner) };
    });
    return begun.catch(onPassword);
  }

  /**
   * Adds a passkey. Sessions stay; a challenge that was presented in place of a token ends.
   * @throws as {@link addOptions}; InvalidPasskeyError
   */
  async add(
    { credential, name }: Addition,
    { account, use }: AdmittedEnrolment,
    caller: Caller,
  ): Promise<PasskeyData> {
    const { acts, enrolmentAccess, accounts, notices } = this.parts;
    return acts.record(accountSubject('passkey addition', account), caller, async (note) => {
      enrolmentAccess.demandProvenEmail(account);
      const stored = await enrolmentAccess.read(account);
      refuseTooMany(stored);
      const added = await this.#store(stored, credential, name ?? deviceOf(caller.userAgent), caller);
      const { _id: id } = added;
      if (use) {
        await this.parts.loginChallenges.use(use).catch((error) => this.#undo(id, error));
      }
      if (!(await commit(() => accounts.addPasskey(stored, id, note)))) {
        await this.#undo(id, new ServiceUnavailableError('the account was changed while it got a passkey'));
      }
      await notices.order('passkey added', account.id, caller);
      return { result: passkeyDataOf(added) };
    });
  }

  /** Verifies a new passkey, uses its challenge up, and stores it. It gives nothing before the account names it. */
  async #store(
    account: StoredAccount,
    credential: unknown,
    name: string | undefined,
    { ip }: Caller,
  ): Promise<StoredPasskey> {
    const { passkeys, loginThrottle, clock } = this.parts;
    const { ceremonies, challenges, rpId } = this.#on();
    try {
      const presented = readNewPasskey(credential);
      const challenge = challenges.read(presented.clientData.challenge, 'add', account);
      const made = await ceremonies.verifyNew(presented);
      await challenges.use(challenge);
      const owned = { _id: newId(), accountId: account._id, rpId, name: name ?? DEFAULT_NAME };
      const [createdAt, transports] = [new Date(clock.now()), presented.transports];
      const passkey = { ...owned, ...made, transports, createdAt, lastUsedAt: null };
      if (!(await passkeys.insert(passkey))) {
        throw new InvalidPasskeyError('stored already');
      }
      return passkey;
    } catch (error) {
      if (error instanceof InvalidPasskeyError) {
        await loginThrottle.countSender(ip);
      }
      throw error;
    }
  }

  async #undo(id: string, reason: unknown): Promise<never> {
    await this.parts.passkeys.remove([id]);
    throw reason;
  }

  /** @throws UnauthenticatedError if the account is gone meanwhile */
  async list({ account }: Session, caller: Caller): Promise<ListedPasskeys> {
    const { enrolmentAccess, accountData } = this.parts;
    return caller.timeBudget.within(async () => {
      const stored = await enrolmentAccess.read(account);
      return { userHandle: passkeysOf(stored).handle, passkeys: await accountData.passkeys(stored) };
    });
  }

  /** @throws NotFoundError if the account has no such passkey */
  async rename(id: string, name: string, { account }: Session, caller: Caller): Promise<PasskeyData> {
    const { acts, enrolmentAccess, accountData, passkeys } = this.parts;
    return acts.record(accountSubject('passkey renaming', account), caller, async () => {
      const stored = await enrolmentAccess.read(account);
      demandOwn(stored, id);
      const passkey = (await accountData.passkeys(stored)).find((own) => own.id === id);
      if (!passkey || !(await commit(() => passkeys.rename(id, name)))) {
        throw new NotFoundError(NO_SUCH);
      }
      return { result: { ...passkey, name } };
    });
  }

  /**
   * Removes a passkey. Sessions stay. With the last factor of an account its recovery codes go.
   * @throws NotFoundError if the account has no such passkey; InsufficientAccessError for the last factor where the policy names the
   *   role; ValidationError on `password`, `code` and `credential`; TooManyAttemptsError, ServiceUnavailableError
   */
  async remove(
    id: string,
    { password, ...proof }: Reauthentication,
    { account }: Session,
    caller: Caller,
  ): Promise<void> {
    const { acts, enrolmentAccess, reauthenticator, notices } = this.parts;
    const removed = acts.record(accountSubject('passkey removal', account), caller, async (note) => {
      this.#demandAnother(await enrolmentAccess.read(account), id);
      const stored = await reauthenticator.check(account, password, caller, proof);
      this.#demandAnother(stored, id);
      await this.#take(stored, id, note);
      await notices.order('passkey removed', account.id, caller);
      return { result: undefined };
    });
    await removed.catch(onPassword);
  }

  #demandAnother(account: StoredAccount, id: string): void {
    demandOwn(account, id);
    if (this.parts.twoFactorPolicy.names(account.role) && hasOnlyOnePasskey(account)) {
      throw new InsufficientAccessError('policy', 'the policy asks for a second factor');
    }
  }

  async #take(account: StoredAccount, id: string, note: EventNote): Promise<void> {
    const { accounts, accountData } = this.parts;
    const isLast = hasOnlyOnePasskey(account);
    if (!(await commit(() => accounts.takePasskeys(account, [id], isLast, note)))) {
      throw new ServiceUnavailableError('the account was changed while its passkey was removed');
    }
    await accountData.removePasskey(account._id, id, isLast ? factorIdsOf(account) : []);
  }

  /** @throws NoPasskeysError before the token is looked at */
  #on(): PasskeyTools {
    const { passkeyTools } = this.parts;
    if (!passkeyTools) {
      throw new NoPasskeysError();
    }
    return passkeyTools;
  }

  async #credentialsOf(account: StoredAccount): Promise<KnownCredential[]> {
    return this.parts.passkeys.findMany(passkeysOf(account).ids);
  }

  /** The account with its user handle. Of simultaneous calls, all get the one that was first. */
  async #withHandle(account: StoredAccount): Promise<StoredAccount> {
    if (passkeysOf(account).handle !== null) {
      return account;
    }
    const { accounts, enrolmentAccess } = this.parts;
    await accounts.makePasskeyHandle(account, randomBytes(HANDLE_BYTES).toString('base64url'));
    return enrolmentAccess.read({ id: account._id });
  }
}

const NO_SUCH = 'The account has no such passkey.';

function demandOwn(account: StoredAccount, id: string): void {
  if (!passkeysOf(account).ids.includes(id)) {
    throw new NotFoundError(NO_SUCH);
  }
}

function refuseTooMany(account: StoredAccount): void {
  if (passkeysOf(account).ids.length >= MAX_PASSKEYS) {
    const text = `The account has ${MAX_PASSKEYS} passkeys already. Remove one first.`;
    throw new ValidationError({ credential: broken('state', text) });
  }
}
