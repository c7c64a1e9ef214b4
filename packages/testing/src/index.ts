export type { TestAuthenticator, TestCredential } from './authenticator.ts';
export type { TestMail } from './mailbox.ts';
export type { TestPasskey } from './passkeys.ts';
export { codeOf, type TestSecondFactor } from './second-factor.ts';
export type {
  DoctorOverrides,
  PatientOverrides,
  ReviewerOverrides,
  TestAccount,
  TestDoctor,
} from './test-accounts.ts';
export { startTestGateway, type TestGateway } from './test-gateway.ts';
export type { GatewaySettings, TestGatewayOptions } from './test-settings.ts';
