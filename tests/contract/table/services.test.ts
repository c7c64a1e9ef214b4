import { BILLING, RECORDS, STRANGER } from '../../support/feed.ts';
import { type HttpResponse, send, sendJson } from '../../support/http.ts';
import { aSender } from '../../support/people.ts';
import { basic } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import { storedDocuments } from '../../support/test-app.ts';
import type { Cast } from './cast.ts';
import { endpointsOf, useTable } from './table.ts';

// The endpoints for services behind the gateway, and documents, as operations.test.ts has the others.

type Case = (cast: Cast) => Promise<HttpResponse>;

const as = ({ id, secret }: typeof RECORDS) => ({ ...basic(id, secret), ...aSender() });
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const introspect =
  (bodyOf: (cast: Cast) => string, headers = () => as(RECORDS)): Case =>
  (cast) =>
    send(`${cast.url}/oauth/introspect`, {
      method: 'POST',
      headers: { ...FORM, ...headers() },
      body: bodyOf(cast),
    });
const tokenOf = (who: keyof Cast['people']) => (cast: Cast) =>
  new URLSearchParams({ token: cast.people[who].token }).toString();

const forward =
  (who: keyof Cast['people'], query = ''): Case =>
  ({ url, people }) =>
    send(`${url}/forward-auth${query}`, { headers: { ...bearer(people[who].token), ...aSender() } });

const feed =
  (query = '', service = RECORDS): Case =>
  ({ url }) =>
    send(`${url}/events${query}`, { headers: as(service) });

const accounts =
  (bodyOf: (cast: Cast) => unknown, service = RECORDS): Case =>
  (cast) =>
    sendJson(`${cast.url}/events/accounts`, bodyOf(cast), as(service));

const document =
  (pathOf: (path: string) => string): Case =>
  async ({ url, app }) => {
    const [name] = (await storedDocuments(app)).filter((path) => path.startsWith('licenses/'));
    return send(`${url}${pathOf(`/storage/${name}`)}`, { headers: aSender() });
  };

const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  introspect: {
    'the token of a patient': introspect(tokenOf('patient')),
    'the token of a doctor': introspect(tokenOf('doctor')),
    'the token of somebody with an app': introspect(tokenOf('owner')),
    'the token of an operator': introspect(tokenOf('operator')),
    'the token of a disabled account': introspect(tokenOf('disabled')),
    'no token': introspect(() => ''),
    'two tokens': introspect((cast) => `${tokenOf('patient')(cast)}&token=x`),
    'an unknown service': introspect(tokenOf('patient'), () => as({ id: 'nobody', secret: 'wrong' })),
    'a wrong secret, and no token': introspect(
      () => '',
      () => as({ ...RECORDS, secret: 'wrong' }),
    ),
  },
  events: {
    'from now': feed(),
    'of a service that may read none': feed('', STRANGER),
    'with an unknown cursor': feed('?after=unknown'),
    'of an unknown type': feed('?types=unknown'),
    'of a type that the service may not read': feed('?types=doctor.verified', BILLING),
    'of an unknown service': feed('?after=unknown', { id: 'nobody', secret: 'wrong' }),
  },
  eventAccounts: {
    'two accounts': accounts(({ patient, disabled }) => ({ ids: [patient.id, disabled.id, 'unknown'] })),
    nothing: accounts(() => ({})),
    'of a service that may read none': accounts(() => ({}), STRANGER),
    'of an unknown service, with broken JSON': accounts(() => '{', { id: 'nobody', secret: 'wrong' }),
  },
  forwardAuth: {
    'a patient': forward('patient'),
    'a doctor': forward('doctor'),
    'a patient in place of a doctor': forward('patient', '?role=doctor'),
    'a doctor who is not verified': forward('doctor', '?verified=true'),
    'an e-mail that is not proven': forward('unproven', '?email_verified=true'),
    'a missing second factor': forward('patient', '?acr=aal2'),
    'an unknown requirement': forward('patient', '?unknown=1'),
    'a disabled account': forward('disabled'),
    'no token': ({ url }) => send(`${url}/forward-auth`, { headers: aSender() }),
  },
  readDocument: {
    'a document': document((path) => path),
    'another group': document((path) => path.replace('licenses', 'diplomas')),
    'an unknown name': document((path) => path.replace(/\w{40}/, 'x'.repeat(40))),
  },
  readLegacyDocument: {
    'an unknown path': ({ url }) => send(`${url}/storage/doctor_profiles/a/b.pdf`, { headers: aSender() }),
  },
};

const table = useTable();

test('each endpoint has cases', () => {
  const names = [...endpointsOf((path) => !path.startsWith('/api/')).keys()];
  expect(Object.keys(CASES).sort()).toEqual(names.sort());
});

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  test.each(Object.entries(cases))('%s', async (_name, request) => {
    expect(await table.recorder.record(() => request(table.cast()))).toMatchSnapshot();
  });
});
