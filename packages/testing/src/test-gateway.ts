import { startProcess } from './gateway-process.ts';
import { addPasskey, PASSKEY_SETTINGS, type TestPasskey } from './passkeys.ts';
import { addSecondFactor, type TestSecondFactor } from './second-factor.ts';
import {
  createDoctor,
  createPatient,
  type DoctorOverrides,
  type PatientOverrides,
  type TestDoctor,
  type TestPatient,
} from './test-accounts.ts';
import type { GatewaySettings } from './test-settings.ts';

/** A running gateway, with its data in memory. */
export interface TestGateway {
  /** Its address, such as `http://127.0.0.1:40123`, without a slash at the end. */
  readonly url: string;
  /** Registers a doctor with three documents. By default, the e-mail address and the password are new. */
  createDoctor(overrides?: DoctorOverrides): Promise<TestDoctor>;
  /** Registers a patient. By default, the e-mail address and the password are new. */
  createPatient(overrides?: PatientOverrides): Promise<TestPatient>;
  /**
   * Gives an account an authenticator app and recovery codes. All its access tokens end; the answer has a new one.
   * @param account a doctor or patient of `createDoctor` or `createPatient`
   */
  addSecondFactor(account: Pick<TestPatient, 'token' | 'password'>): Promise<TestSecondFactor>;
  /**
   * Gives an account a passkey, on an authenticator in software for the first origin of PASSKEY_ORIGINS.
   * @param account a doctor or patient of `createDoctor` or `createPatient`
   */
  addPasskey(account: Pick<TestPatient, 'token' | 'password'>): Promise<TestPasskey>;
  /** Ends the gateway, and removes its data. Calling it again is harmless. */
  stop(): Promise<void>;
  /** The same as `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a whole gateway in its own process, on a free port, with cheap password hashes and without limits on attempts.
 * It ends at the latest when this process ends, also after a crash.
 * @param settings of the gateway, by their names in docs/settings.md. They replace those of a test gateway
 * @throws an Error with the gateway's own message if it does not start, for example a list of invalid settings
 */
export async function startTestGateway(settings: GatewaySettings = {}): Promise<TestGateway> {
  const { url, stop } = await startProcess(settings);
  return {
    url,
    createDoctor: (overrides) => createDoctor(url, overrides),
    createPatient: (overrides) => createPatient(url, overrides),
    addSecondFactor: (account) => addSecondFactor(url, account),
    addPasskey: (account) => addPasskey(url, account, relyingPartyOf(settings)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What the gateway takes passkeys for. */
function relyingPartyOf(settings: GatewaySettings): { rpId: string; origin: string } {
  const { PASSKEY_RP_ID: rpId = '', PASSKEY_ORIGINS: origins } = { ...PASSKEY_SETTINGS, ...settings };
  const [first = ''] = (origins || `https://${rpId}`).split(',');
  return { rpId, origin: first.trim() };
}
