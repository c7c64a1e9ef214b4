import { authenticated } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';

/** What somebody logs in with who has just registered. */
export async function registeredCredentials(url: string): Promise<{ email: string; password: string }> {
  const patient = aPatient();
  authenticated(await restApi(url).registerPatient(patient));
  return { email: patient.email, password: patient.password };
}
