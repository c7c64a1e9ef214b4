import { createHmac } from 'node:crypto';
import type { AccountStore, StoredAccount } from '../../stores/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import type { Logger } from '../../system/log.ts';
import type { Actor } from '../caller.ts';
import { MAX_KNOWN_DEVICES, rememberedDevice, shownDevices } from '../tokens/devices.ts';
import type { LoginAttempt } from './login-throttle.ts';

/** Enough for one person: home, work, a few mobile networks. */
const MAX_PLACES = 8;
/** A login from one of the newest places with one of the newest devices writes nothing, so an ordinary login costs no write. */
const RECENT = 4;

/**
 * The networks from which a login to an account has succeeded, stored in the account as digests; beside them the devices, by the
 * names of devices.ts; and apart the networks where a second factor was proven: neither password nor mailbox alone adds one.
 */
export class KnownPlaces {
  /**
   * @param key of the HMAC. Without a key, a thief could try all four billion IPv4 addresses
   */
  constructor(
    private readonly accounts: AccountStore,
    private readonly key: Buffer,
    private readonly log: Logger,
  ) {}

  /** The digest of a place, which differs for each account. */
  digest({ email, ip }: LoginAttempt): string {
    return createHmac('sha256', this.key)
      .update(`${emailKey(email)}\n${ip}`)
      .digest('base64url');
  }

  /**
   * True if a login has succeeded from there before. The look-up uses only the digest. For a stranger it finds nothing,
   * with or without an account, so it takes the same time.
   */
  has(attempt: LoginAttempt): Promise<boolean> {
    return this.accounts.knowsNetwork(this.digest(attempt));
  }

  /**
   * Remembers the place and the device of a login after its success, in one write, and forgets the least recently used ones beyond
   * the limit.
   * @param account with what it knows. If two logins add something at once, one of both may be lost until its next login
   * @returns true if the account knows other devices, but did not know this one. Of simultaneous logins from one new device, one
   *   gets true
   */
  async add(account: StoredAccount, { ip, userAgent }: Pick<Actor, 'ip' | 'userAgent'>): Promise<boolean> {
    const place = this.digest({ email: account.email, ip });
    const device = rememberedDevice(userAgent);
    const devices = shownDevices(account.knownDevices);
    const knownPlaces = withNewest(textsOf(account.knownPlaces), place, MAX_PLACES);
    const knownDevices = withNewest(devices, device, MAX_KNOWN_DEVICES);
    if (!knownPlaces && !knownDevices) {
      return false;
    }
    const newDevice = devices.includes(device) ? undefined : device;
    const known = { ...(knownPlaces && { knownPlaces }), ...(knownDevices && { knownDevices }) };
    const isSet = await this.accounts.rememberOrigin(account, known, newDevice);
    return isSet && newDevice !== undefined && devices.length > 0;
  }

  /** True if a second factor of the account was proven from there before. @param account as it was read with its password */
  isKnownForCodes({ email, codePlaces }: StoredAccount, ip: string): boolean {
    return textsOf(codePlaces).includes(this.digest({ email, ip }));
  }

  /** Remembers a place where a second factor of the account has just been proven. The proof counts even if this fails. */
  async addForCodes(account: StoredAccount, ip: string): Promise<void> {
    const place = this.digest({ email: account.email, ip });
    const codePlaces = withNewest(textsOf(account.codePlaces), place, MAX_PLACES);
    const added = codePlaces && this.accounts.rememberOrigin(account, { codePlaces }, undefined);
    await added?.catch((err: unknown) => {
      this.log.warn({ err, accountId: account._id }, 'the place of a second factor was not remembered');
    });
  }
}

/** Another program may have stored anything. */
const textsOf = (stored: unknown): string[] =>
  Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];

/** @returns undefined if the value is among the newest already: then nothing is written */
function withNewest(known: readonly string[], value: string, max: number): string[] | undefined {
  return known.slice(-RECENT).includes(value)
    ? undefined
    : [...known.filter((each) => each !== value).slice(1 - max), value];
}
