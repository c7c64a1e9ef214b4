import { authenticated } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { comingAgain, registeredInTheEnd, withRetries } from '../../support/retries.ts';
import { me } from './questions.ts';

/** Registers, logs in and calls `me`. Returns the milliseconds that all three took together. */
export async function visit(url: string): Promise<number> {
  const startedAt = performance.now();
  const patient = aPatient();
  const api = restApi(url);
  await registeredInTheEnd(api, patient, () => api.registerPatient(patient));
  const { token } = authenticated(await comingAgain(() => api.login(patient)));
  expect((await withRetries(() => me(url, token))).email).toBe(patient.email);
  return performance.now() - startedAt;
}
