import { codeOf, startTestGateway, type TestDoctor } from '@auth-gateway/testing';

await using gateway = await startTestGateway({ TOKEN_LIFETIME_MINUTES: '60', LOG_LEVEL: undefined });
const doctor: TestDoctor = await gateway.createDoctor({ name: 'Ada', licenseFile: 'license.pdf' });
const { account, token, password } = await gateway.createPatient();
await using other = await startTestGateway({ services: ['appointments'] });
// @ts-expect-error: settings are texts
void startTestGateway({ BCRYPT_COST: 4 });
await other.advance(60_000);
const [mail] = await other.mails();
const reviewer = await other.createReviewer();
// @ts-expect-error: a patient has no profile
const profile: unknown = (await gateway.createPatient()).profile;
// @ts-expect-error: patients have no documents
await gateway.createPatient({ licenseFile: 'license.pdf' });

const { secretKey } = await gateway.addSecondFactor(doctor);
const passkey = await gateway.addPasskey(doctor);

export const texts: string[] = [
  codeOf(secretKey),
  await passkey.logIn(),
  passkey.authenticator.get({}).rawId,
  gateway.url,
  other.secretOf('appointments'),
  mail?.links[0] ?? '',
  reviewer.token,
  (await other.createDoctor({ verified: true })).token,
  doctor.profile.licenseFileUrl,
  account.id,
  token,
  password,
];
export { profile };
