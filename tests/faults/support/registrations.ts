import { setTimeout as wait } from 'node:timers/promises';
import type { Api, Outcome } from '../../support/apis.ts';
import { aPdfOf } from '../../support/documents.ts';
import { type Authenticated, authenticated, refused } from '../../support/expectations.ts';
import type { GatewayProcess } from '../../support/gateway-process.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { comingAgain, registeredInTheEnd, withRetries } from '../../support/retries.ts';
import { expectWhole, type Registrant } from '../../support/whole-account.ts';

/** A registration that was sent, and its answer. */
export interface Registration extends Registrant {
  apiOf: (url: string) => Api;
  /** undefined if no answer said that it was made. */
  answer?: Authenticated;
}

/** Senders at a time: more than there are hashes at a time, so that registrations are at all their steps. */
const SENDERS = 8;
/** Far more registrations than before any of the moments to die. */
const MAX_REGISTRATIONS = 500;
/** A process is over if the system has closed its connections. */
const CUT_OFF_MILLIS = 30_000;
/** Large enough to come in pieces. */
const LICENSE_BYTES = 100_000;

const register = ({ person, documents, apiOf }: Registration, url: string): Promise<Outcome> =>
  documents ? apiOf(url).registerDoctor(person) : apiOf(url).registerPatient(person);

/** The n-th of a load: doctors and patients through both APIs in turn, all with one password. */
function nth(n: number, password: string): Registration {
  const apiOf = n % 2 === 0 ? restApi : graphqlApi;
  if (n % 4 < 2) {
    return { person: aPatient({ password }), documents: undefined, apiOf };
  }
  const doctor = aDoctor({ password, licenseFile: aPdfOf(LICENSE_BYTES) });
  return { person: doctor, documents: doctor, apiOf };
}

/**
 * Registers people without a pause at a gateway until it kills itself.
 * @throws if the gateway ends in another way, or not at all
 */
export async function registerUntilKilled(
  gateway: GatewayProcess,
  password: string,
): Promise<Registration[]> {
  const url = await gateway.url();
  const sent: Registration[] = [];
  const sender = async () => {
    while (sent.length < MAX_REGISTRATIONS) {
      const registration = nth(sent.length, password);
      sent.push(registration);
      try {
        const outcome = await register(registration, url);
        // On a busy machine the answer may be a 503; then the outcome is unknown.
        if (outcome.ok) {
          registration.answer = authenticated(outcome);
        } else {
          refused(outcome, 'unavailable');
        }
      } catch (error) {
        // A kill by signal leaves no exit code. A gateway that lives on must not cut off a caller.
        if (
          (await Promise.race([gateway.exitCode(), wait(CUT_OFF_MILLIS, 'alive', { ref: false })])) !== null
        ) {
          throw error;
        }
        return;
      }
    }
    throw new Error(`the moment to die did not come in ${MAX_REGISTRATIONS} registrations`);
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return sent;
}

/**
 * Checks that a registration exists whole, or not at all, in which case it is made again. One that was answered exists,
 * and its token is honoured.
 * @returns whether it existed
 */
export async function expectAllOrNothing(registration: Registration, url: string): Promise<boolean> {
  const { person, apiOf, answer } = registration;
  const login = await comingAgain(() => apiOf(url).login(person));
  if (!login.ok && !answer) {
    refused(login, 'credentials');
    registration.answer = await registeredInTheEnd(apiOf(url), person, () => register(registration, url));
    return false;
  }
  const { account, token } = authenticated(login);
  if (answer) {
    expect(answer.account.id).toBe(account.id);
  }
  await withRetries(() => expectWhole(registration, url, answer?.token ?? token));
  return true;
}
