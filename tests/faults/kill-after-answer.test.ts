import path from 'node:path';
import {
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../packages/client/src/generated/graphql.ts';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { adminProcess } from '../support/admin-command.ts';
import { authenticated, registeredDoctor, succeeded } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { execute, graphqlApi } from '../support/graphql-api.ts';
import type { HttpResponse } from '../support/http.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { bearer, tokenIdOf } from '../support/session.ts';

// An answered success is in the audit trail, even if the gateway is killed at once.
const workshop = useWorkshop();

const requestIdOf = ({ headers }: HttpResponse) => headers.get('x-request-id');

/** Registers a patient and logs in: two tokens. */
async function twoTokens(url: string) {
  const patient = aPatient();
  const { token } = authenticated(await restApi(url).registerPatient(patient));
  const { token: other } = authenticated(await restApi(url).login(patient));
  return { patient, token, other };
}

type Act = (url: string, who: Awaited<ReturnType<typeof twoTokens>>) => Promise<HttpResponse>;

const registration: Act = async (url) => authenticated(await restApi(url).registerPatient(aPatient())).http;
const doctorRegistration: Act = async (url) =>
  registeredDoctor(await graphqlApi(url).registerDoctor(aDoctor())).http;
const login: Act = async (url, { patient }) => authenticated(await graphqlApi(url).login(patient)).http;
const logout: Act = async (url, { token }) => succeeded(await restApi(url).logout(`Bearer ${token}`)).http;
const revocation: Act = async (url, { token, other }) =>
  (await execute(url, RevokeTokenDocument, { id: tokenIdOf(other) }, bearer(token))).http;
const revocationOfOthers: Act = async (url, { token }) =>
  (await execute(url, RevokeOtherTokensDocument, {}, bearer(token))).http;

test('a kill -9 of a gateway with the embedded database leaves the events of many simultaneous answers in the trail', async () => {
  const gateway = workshop.start({ MONGODB_URI: undefined });
  const url = await gateway.url();
  const acts = [registration, doctorRegistration, login, logout, revocation, revocationOfOthers];
  const people = await Promise.all(acts.map(() => twoTokens(url)));
  const answers = await Promise.all(people.map((who, index) => acts[index]?.(url, who)));
  await gateway.kill();
  const { json } = await adminProcess({ DATA_DIR: path.join(workshop.folder, 'data') }, 'audit', '--json');
  const successes = (json as StoredAuditEvent[]).filter(({ outcome }) => outcome === 'success');
  const recorded = successes.map(({ requestId }) => requestId);
  expect(recorded).toEqual(expect.arrayContaining(answers.map((answer) => answer && requestIdOf(answer))));
});
