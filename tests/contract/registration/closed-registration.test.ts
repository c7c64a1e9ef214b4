import { admin } from '../../support/admin-command.ts';
import { throughEachApi } from '../../support/apis.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { answerBeforeFiles } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../../support/test-app.ts';

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
