import { startProcess } from './gateway-process.ts';
import type { TestMail } from './mailbox.ts';
import { addPasskey, PASSKEY_SETTINGS, type TestPasskey } from './passkeys.ts';
import { addSecondFactor, codeOf, type TestSecondFactor } from './second-factor.ts';
import {
  createDoctor,
  createPatient,
  createReviewer,
  type DoctorOverrides,
  type PatientOverrides,
  type ReviewerOverrides,
  type TestAccount,
  type TestDoctor,
} from './test-accounts.ts';
import { servicesOf } from './test-services.ts';
import type { GatewaySettings, TestGatewayOptions } from './test-settings.ts';

/** A running gateway, with its data in memory. */
export interface TestGateway {
  /** Its address, such as `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** Registers a doctor with three documents. By default, the e-mail address and the password are new. */
  createDoctor(overrides?: DoctorOverrides): Promise<TestDoctor>;
  /** Makes a reviewer, as an operator does. By default, the e-mail address and the password are new. */
  createReviewer(overrides?: ReviewerOverrides): Promise<TestAccount>;
  /** Registers a patient. By default, the e-mail address and the password are new. */
  createPatient(overrides?: PatientOverrides): Promise<TestAccount>;
  /**
   * Gives an account an authenticator app and recovery codes. All its access tokens end; the answer has a new one.
   * @param account a doctor or patient of `createDoctor` or `createPatient`
   */
  addSecondFactor(account: Pick<TestAccount, 'token' | 'password'>): Promise<TestSecondFactor>;
  /**
   * Gives an account a passkey, on an authenticator in software for the first origin of PASSKEY_ORIGINS.
   * @param account a doctor or patient of `createDoctor` or `createPatient`
   */
  addPasskey(account: Pick<TestAccount, 'token' | 'password'>): Promise<TestPasskey>;
  /** The code that an authenticator app shows by the time of the gateway; see {@link codeOf}. */
  codeOf(secretKey: string, steps?: number): string;
  /** The secret of a service of the option `services`. @throws Error for another one */
  secretOf(service: string): string;
  /** The time of the gateway, in milliseconds since the epoch. */
  now(): number;
  /** Moves the clock of the gateway ahead. Tokens, links and limits end by it, and what waits for a time happens at once. */
  advance(millis: number): Promise<void>;
  /** The mails that the gateway has sent, the oldest first; with an address, those to it. Empty with an own SMTP_URL. */
  mails(to?: string): Promise<TestMail[]>;
  /**
   * The first mail to an address that no earlier call has returned. The gateway holds mails for up to 5 s; the clock is moved ahead
   * by that.
   * @throws Error if none comes within 10 s
   */
  nextMail(to: string): Promise<TestMail>;
  /** Ends the gateway, and removes its data. Calling it again is harmless. */
  stop(): Promise<void>;
  /** The same as `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a whole gateway in its own process, on a free port, with cheap password hashes and without limits on attempts.
 * It ends at the latest when this process ends, also after a crash.
 * @param options settings of the gateway, by their names in docs/settings.md, which replace those of a test gateway; and `services`
 * @throws an Error with the gateway's own message if it does not start, for example a list of invalid settings
 */
export async function startTestGateway({
  services: ids = [],
  ...settings
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const services = servicesOf(ids);
  const gateway = await startProcess({ ...services.setting, ...settings });
  const { url, ask, stop } = gateway;
  let aheadMillis = 0;
  const now = () => Date.now() + aheadMillis;
  const advance = async (millis: number) => {
    aheadMillis += millis;
    await ask('advance', { millis });
  };
  const mails = async (to?: string) =>
    (await ask('mails', {})).filter((mail) => to === undefined || mail.to === to);
  return {
    url,
    createDoctor: (overrides) => createDoctor(gateway, overrides),
    createReviewer: (overrides) => createReviewer(gateway, overrides),
    createPatient: (overrides) => createPatient(url, overrides),
    addSecondFactor: (account) => addSecondFactor(url, account, now()),
    addPasskey: (account) => addPasskey(url, account, relyingPartyOf(settings)),
    codeOf: (secretKey, steps) => codeOf(secretKey, steps, now()),
    secretOf: services.secretOf,
    now,
    advance,
    mails,
    nextMail: nextMailOf(mails, () => advance(HOLD_MILLIS)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** How long the gateway holds a mail at most, so that its time says nothing about the account. */
const HOLD_MILLIS = 5_000;
const MAIL_TIMEOUT_MILLIS = 10_000;
const LOOK_MILLIS = 50;

function nextMailOf(mails: TestGateway['mails'], release: () => Promise<void>): TestGateway['nextMail'] {
  const returned = new Map<string, number>();
  return async (to) => {
    const index = returned.get(to) ?? 0;
    const end = Date.now() + MAIL_TIMEOUT_MILLIS;
    await release();
    for (;;) {
      const mail = (await mails(to))[index];
      if (mail) {
        returned.set(to, index + 1);
        return mail;
      }
      if (Date.now() > end) {
        throw new Error(`No mail to ${to} came within ${MAIL_TIMEOUT_MILLIS / 1000} s.`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS));
    }
  };
}

/** What the gateway takes passkeys for. */
function relyingPartyOf(settings: GatewaySettings): { rpId: string; origin: string } {
  const { PASSKEY_RP_ID: rpId = '', PASSKEY_ORIGINS: origins } = { ...PASSKEY_SETTINGS, ...settings };
  const [first = ''] = (origins || `https://${rpId}`).split(',');
  return { rpId, origin: first.trim() };
}
