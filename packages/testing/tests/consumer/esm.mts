import { codeOf, startTestGateway, type TestDoctor } from '@auth-gateway/testing';

await using gateway = await startTestGateway({ TOKEN_LIFETIME_MINUTES: '60', LOG_LEVEL: undefined });
const doctor: TestDoctor = await gateway.createDoctor({ name: 'Ada', licenseFile: 'license.pdf' });
const { account, token, password } = await gateway.createPatient();
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
  doctor.profile.licenseFileUrl,
  account.id,
  token,
  password,
];
export { profile };
