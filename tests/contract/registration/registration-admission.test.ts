import {
  doctorParts,
  encode,
  openUpload,
  overOneConnection,
  sendParts,
  textPart,
} from '../../documents/support/parts.ts';
import { admin } from '../../support/admin-command.ts';
import { type Outcome, throughEachApi } from '../../support/apis.ts';
import { aPdfOf } from '../../support/documents.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { answerBeforeFiles } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../../support/test-app.ts';

const LIMIT = 2;
const MEBIBYTE = 1024 * 1024;

// Every test has an address in a network of its own, in the header of a proxy.
const app = useTestApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: String(LIMIT),
  TRUST_PROXY: '1',
});
let addresses = 0;
function anAddress(): string {
  addresses += 1;
  return `198.51.${addresses}.1`;
}

function expectTooMany(outcome: Outcome): void {
  const { http } = refused(outcome, 'too many attempts');
  expect(http.status).toBe(429);
  expect(Number(http.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(http.headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
}

throughEachApi((apiOf) => {
  const api = () => apiOf(app.url);
  const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

  async function register(address: string, fields = aDoctor()): Promise<Outcome> {
    return api().doctorOutcome(
      await sendParts(app.url, api(), await doctorParts(api(), fields), from(address)),
    );
  }

  async function useUp(address: string): Promise<void> {
    for (let time = 0; time < LIMIT; time += 1) {
      registeredDoctor(await register(address));
    }
  }

  test('the gateway refuses a registration over the limit before any of its files is sent', async () => {
    const address = anAddress();
    await useUp(address);
    await expectQuarantineEmpty(app.storageDir);
    const before = await inventoryOf(app);
    const { headers, ...request } = api().doctorRequest(aDoctor());
    const sent = { ...request, headers: { ...headers, ...from(address).headers } };
    expectTooMany(api().doctorOutcome(await answerBeforeFiles(app.url, sent)));
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('a sender gets the refusal while it is still sending, and the connection stays open', async () => {
    const address = anAddress();
    await useUp(address);
    const large = () => aPdfOf(3 * MEBIBYTE);
    const fields = aDoctor({ licenseFile: large(), diplomaFile: large(), certificationFile: large() });
    const parts = await doctorParts(api(), fields);
    await overOneConnection(async (agent) => {
      expectTooMany(api().doctorOutcome(await sendParts(app.url, api(), parts, { ...from(address), agent })));
      const small = await doctorParts(api(), aDoctor());
      const another = await sendParts(app.url, api(), small, { ...from(anAddress()), agent });
      registeredDoctor(api().doctorOutcome(another));
    });
  });

  test('a sender that waits for 100-continue gets the refusal', async () => {
    const address = anAddress();
    await useUp(address);
    const body = encode(await doctorParts(api(), aDoctor()));
    const headers = { ...from(address).headers, Expect: '100-continue' };
    const req = openUpload(app.url, api(), body.length, { headers });
    req.once('continue', () => req.end(body));
    req.flushHeaders();
    expectTooMany(api().doctorOutcome(await answerTo(req)));
    req.destroy();
  });

  test('a registration counts once, whether it succeeds or not', async () => {
    const address = anAddress();
    refused(await register(address, aDoctor({ email: 'none' })), 'validation');
    registeredDoctor(await register(address));
    expectTooMany(await register(address));
    registeredDoctor(await register(anAddress()));
  });

  test('a registration with a broken body counts', async () => {
    const address = anAddress();
    const body = encode(await doctorParts(api(), aDoctor()));
    for (let time = 0; time < LIMIT; time += 1) {
      const req = openUpload(app.url, api(), body.length, from(address));
      const answer = answerTo(req);
      req.write(body.subarray(0, body.length - 10));
      req.end('-'.repeat(10));
      refused(api().doctorOutcome(await answer), 'bad request');
    }
    expectTooMany(await register(address));
  });

  test('the audit trail has a refused registration', async () => {
    const address = anAddress();
    await useUp(address);
    expectTooMany(await register(address));
    await eventually(async () => {
      const events = await app.database.db.collection('audit_events').find({ ip: address }).toArray();
      const outcomes = events.map(({ act, outcome }) => `${act}: ${outcome}`).sort();
      expect(outcomes).toEqual(['registration: failure', 'registration: success', 'registration: success']);
    });
  });

  if (apiOf === restApi) {
    return;
  }

  test.each([
    [
      'in a fragment',
      'mutation R($input: RegisterDoctorInput!) { ...F } fragment F on Mutation { registerDoctor(input: $input) { token } }',
    ],
    [
      'by name, among others',
      'mutation R($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } } query O { __typename }',
    ],
    [
      'under an alias',
      'mutation R($input: RegisterDoctorInput!) { login: registerDoctor(input: $input) { token } }',
    ],
    [
      'in a document that is not valid',
      'mutation R($input: RegisterDoctorInput!) { registerDoctor(input: $input) { nothing } }',
    ],
  ])('the gateway counts a registration that is selected %s before its files', async (_where, query) => {
    const address = anAddress();
    await useUp(address);
    const variables = { input: { licenseFile: null } };
    const operations = textPart('operations', JSON.stringify({ query, operationName: 'R', variables }));
    const body = encode([operations, textPart('map', '{}')]);
    const req = openUpload(app.url, api(), MEBIBYTE, from(address));
    req.write(body.subarray(0, body.indexOf('name="map"')));
    const http = await answerTo(req);
    expect(http.status).toBe(429);
    req.destroy();
  });

  test('the gateway does not count an operation that operationName does not select', async () => {
    const address = anAddress();
    await useUp(address);
    const query =
      'query O { __typename } mutation R($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
    const operations = textPart('operations', JSON.stringify({ query, operationName: 'O' }));
    const http = await sendParts(app.url, api(), [operations, textPart('map', '{}')], from(address));
    expect([http.status, JSON.parse(http.text)]).toEqual([200, { data: { __typename: 'Query' } }]);
  });
});

const INVITED = 'Registration is by invitation only.';
const CLOSED = 'Registration is closed.';

const patientsOnly = useTestApp({
  ...emailLinkSettings('smtp://127.0.0.1:9'),
  PEOPLE_URL: 'https://app.example.org/people',
  DOCTOR_REGISTRATION: 'invited',
});
const doctorsOnly = useTestApp({ PATIENT_REGISTRATION: 'off' });

throughEachApi((apiOf) => {
  test('a role that needs an invitation is closed without one, and the other is open', async () => {
    const before = await inventoryOf(patientsOnly);
    const refusal = refused(await apiOf(patientsOnly.url).registerDoctor(aDoctor()), 'forbidden');
    expect(refusal.message).toBe(INVITED);
    expect(await inventoryOf(patientsOnly)).toEqual(before);
    authenticated(await apiOf(patientsOnly.url).registerPatient(aPatient()));
  });

  test('nobody registers in a role that is off, not even with a taken e-mail, and the other is open', async () => {
    const doctor = registeredDoctor(await apiOf(doctorsOnly.url).registerDoctor(aDoctor()));
    const { email } = doctor.account;
    const refusal = refused(await apiOf(doctorsOnly.url).registerPatient(aPatient({ email })), 'forbidden');
    expect(refusal.message).toBe(CLOSED);
  });

  test('the gateway refuses a doctor before any file is sent, and the audit trail has it', async () => {
    const api = apiOf(patientsOnly.url);
    const events = patientsOnly.database.db.collection('audit_events');
    const filter = { act: 'registration', outcome: 'failure', reason: INVITED };
    const http = await answerBeforeFiles(patientsOnly.url, api.doctorRequest(aDoctor()));
    expect(refused(api.doctorOutcome(http), 'forbidden').message).toBe(INVITED);
    await expectQuarantineEmpty(patientsOnly.storageDir);
    // The trail sums up what is refused again and again.
    await eventually(async () => expect(await events.countDocuments(filter)).toBeGreaterThan(0));
  });
});

test('the command line makes a patient whatever the setting is', async () => {
  const settings = {
    ...{ MONGODB_URI: doctorsOnly.database.uri, PATIENT_REGISTRATION: 'off' },
    ...{ BCRYPT_COST: '4', LOG_LEVEL: 'fatal' },
  };
  const { email } = aPatient();
  const words = ['--role', 'patient', '--name', 'Paula Patient', '--email', email, '--json'];
  const { json } = await admin(settings, 'accounts', 'create', ...words);
  expect(json).toMatchObject([{ email, role: 'patient' }]);
});
