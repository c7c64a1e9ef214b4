import { authenticated } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restDoor } from '../../support/rest-door.ts';
import { comingAgain, registeredInTheEnd, withRetries } from '../../support/retries.ts';
import { me } from './questions.ts';

/** Registers, logs in and calls `me`. Returns the milliseconds that all three took together. */
export async function visit(url: string): Promise<number> {
  const startedAt = performance.now();
  const patient = aPatient();
  const door = restDoor(url);
  await registeredInTheEnd(door, patient, () => door.registerPatient(patient));
  const { token } = authenticated(await comingAgain(() => door.login(patient)));
  expect((await withRetries(() => me(url, token))).email).toBe(patient.email);
  return performance.now() - startedAt;
}
