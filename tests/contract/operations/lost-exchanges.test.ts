import {
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../../../src/database/exchange-limit.ts';
import type { AuditedAct, AuditOutcome } from '../../../src/stores/audit-event-record.ts';
import { emailDigest } from '../../../src/stores/email-key.ts';
import { type Match, named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated } from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import type { HttpResponse } from '../../support/http.ts';
import { COUNTING, expectUnavailable } from '../../support/outages.ts';
import { aPatient } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { afterSums, letEventsBeWrittenAgain, testClock } from '../../support/test-app.ts';

// The answer to one command never comes, on a connection that stays open. The driver alone would wait for it for ever, and the act
// would have no event. Where the command may have happened, the outcome of the event is unknown.

const behind = useProxiedApp(COUNTING);

/** A person with an account, the presented token and another one. */
interface Member {
  patient: ReturnType<typeof aPatient>;
  token: string;
  other: string;
}

async function aMember(): Promise<Member> {
  const api = restApi(behind.app.url);
  const patient = aPatient();
  const { token } = authenticated(await api.registerPatient(patient));
  const { token: other } = authenticated(await api.login(patient));
  return { patient, token, other };
}

type Call = (api: ReturnType<typeof restApi>, member: Member) => Promise<HttpResponse>;

const register =
  (patient: ReturnType<typeof aPatient>): Call =>
  async (api) =>
    (await api.registerPatient(patient)).http;
const login: Call = async (api, { patient }) => (await api.login(patient)).http;
const logout: Call = async (api, { token }) => (await api.logout(`Bearer ${token}`)).http;
const revoke: Call = async (_, { token, other }) =>
  (await execute(behind.app.url, RevokeTokenDocument, { id: tokenIdOf(other) }, bearer(token))).http;
const revokeOthers: Call = async (_, { token }) =>
  (await execute(behind.app.url, RevokeOtherTokensDocument, {}, bearer(token))).http;

/** Matches a look for an account by a field: the gateway looks for accounts by itself, too. */
const findBy =
  (field: string): Match =>
  ({ name, bytes }) =>
    name === 'find accounts' && bytes.includes(field);

interface Case {
  act: AuditedAct;
  lost: Match;
  call: Call;
  outcome: AuditOutcome;
  /** The e-mail of the event; by default the member's. */
  email?: string;
}

const [first, second, third] = [aPatient(), aPatient(), aPatient()];

const CASES: Record<string, Case> = {
  'a registration, at the look for the e-mail': {
    ...{ act: 'registration', lost: findBy('emailKey'), outcome: 'unknown' },
    ...{ call: register(first), email: first.email },
  },
  'a registration, at its token': {
    ...{ act: 'registration', lost: named('insert access_tokens'), outcome: 'unknown' },
    ...{ call: register(second), email: second.email },
  },
  'a registration, at its account': {
    ...{ act: 'registration', lost: named('insert accounts'), outcome: 'unknown' },
    ...{ call: register(third), email: third.email },
  },
  'a login, at the count of its success': {
    ...{ act: 'login', lost: named('delete attempt_counts'), outcome: 'failure', call: login },
  },
  // Nobody has got the token.
  'a login, at its token': {
    ...{ act: 'login', lost: named('insert access_tokens'), outcome: 'failure', call: login },
  },
  'a login, at the look for a change of the password meanwhile': {
    ...{ act: 'login', lost: findBy('passwordChange.id'), outcome: 'failure', call: login },
  },
  'a logout': {
    ...{ act: 'logout', lost: named('delete access_tokens'), outcome: 'unknown', call: logout },
  },
  'a revocation': {
    ...{ act: 'revocation', lost: named('delete access_tokens'), outcome: 'unknown', call: revoke },
  },
  'a revocation of all other tokens, at its look for them': {
    ...{ act: 'revocation', lost: named('find access_tokens'), outcome: 'unknown', call: revokeOthers },
  },
  'a revocation of all other tokens, at their removal': {
    ...{ act: 'revocation', lost: named('delete access_tokens'), outcome: 'unknown', call: revokeOthers },
  },
};

test.each(Object.entries(CASES))(
  '%s: the act ends after the limit, and has its event',
  async (_, { act, lost, call, outcome, email }) => {
    const { app, proxy } = behind;
    const member = await aMember();
    const events = () =>
      auditEvents(app)
        .find({ act, emailDigest: emailDigest(email ?? member.patient.email), outcome: { $ne: 'success' } })
        .toArray();
    // Refusals of the same kind are summed up by the minute.
    await afterSums();

    const commands = proxy.hold(lost);
    try {
      const answer = call(restApi(app.url), member);
      await commands.arrived(1);
      expect(await events()).toEqual([]);
      await testClock.advance(REQUEST_EXCHANGE_MILLIS);

      expectUnavailable(await answer);
      await eventually(async () => {
        // The time that ends the exchange of the act may end the write of its event, too.
        await letEventsBeWrittenAgain();
        expect(await events()).toMatchObject([{ outcome, count: null }]);
      });
    } finally {
      commands.release();
    }
    // The gateway serves others as before.
    authenticated(await restApi(app.url).login(member.patient));
  },
);
