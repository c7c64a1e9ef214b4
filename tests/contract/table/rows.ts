import { aPdf, type TestDocument } from '../../support/documents.ts';
import { anAuthenticator, optionsOf, passkeysByRest } from '../../support/passkeys.ts';
import type { Fields } from '../../support/people.ts';
import { newDocuments } from '../../support/reviews.ts';
import { byRest, codeAt, wrongCode } from '../../support/second-factor.ts';
import type { Cast } from './cast.ts';

/** Who presents an access token. */
export type Presenter = keyof Cast['people'];
type Input = (cast: Cast) => Fields | Promise<Fields>;

/** An operation, by its name in GraphQL and its `operationId` in OpenAPI, and what it is given. Fields have the names of GraphQL. */
export interface Row {
  /** Absent for an operation that needs no token. */
  as?: Presenter;
  /** Others who present their tokens with the right input. */
  others?: readonly Presenter[];
  right: Input;
  wrong?: Readonly<Record<string, Input>>;
}

const NOTHING = () => ({});
const NEW_PASSWORD = 'A-new-password-of-the-table';
const LONG = 'x'.repeat(256);

const licence = (name = 'license.pdf', bytes?: Buffer): TestDocument =>
  bytes ? { name, bytes } : aPdf(name);
const aNewDoctor = (more: Fields = {}): Fields => ({
  ...{ name: 'Dr. New', email: 'new@example.org', password: NEW_PASSWORD, phone: '+49 30 1234567' },
  ...{ specialization: 'Surgery', licenseNumber: 'N-1', workHistory: 'One\nTwo' },
  ...{ licenseFile: licence(), diplomaFile: licence('diploma.pdf'), certificationFile: licence('c.pdf') },
  ...more,
});
const aNewPatient = (more: Fields = {}): Fields => ({
  ...{ name: 'New', email: 'new@example.org', password: NEW_PASSWORD, dateOfBirth: '1990-01-31' },
  ...more,
});

/** What a passkey makes of new options. */
const credentialOf = async ({ url, authenticator, keyholder }: Cast, isConfirmation = true) => {
  const act = isConfirmation ? 'passkeyConfirmOptions' : 'passkeyLoginOptions';
  const options = optionsOf(await passkeysByRest(url)(act, {}, isConfirmation ? keyholder.token : undefined));
  return authenticator.get(options);
};
const newCredential = async ({ url, authenticator, keyholder }: Cast) => {
  const fields = {
    password: keyholder.password,
    credential: await credentialOf({ url, authenticator, keyholder } as Cast),
  };
  const options = optionsOf(await passkeysByRest(url)('passkeyAddOptions', fields, keyholder.token));
  return anAuthenticator().create(options);
};
/** The proof of somebody with an app. */
const proof = ({ owner }: Cast) => ({ password: owner.password, code: codeAt(owner.secretKey) });
const wrongProof = ({ owner }: Cast) => ({ password: owner.password, code: wrongCode(owner.secretKey) });
const PROOFS: Record<string, Input> = {
  'a wrong code': wrongProof,
  'a wrong password': (cast) => ({ ...proof(cast), password: 'wrong' }),
  'a wrong recovery code': ({ owner }) => ({ password: owner.password, recoveryCode: 'wrong' }),
  'no code': ({ owner }) => ({ password: owner.password }),
};

/** The operations of doctors, patients and reviewers. */
export const OPERATIONS: Readonly<Record<string, Row>> = {
  registerPatient: {
    right: () => aNewPatient(),
    wrong: {
      'an e-mail that is taken': ({ patient }) => aNewPatient({ email: patient.email }),
      'every text too long': () => aNewPatient({ name: LONG, email: `${LONG}@example.org`, password: LONG }),
      'wrong types': () => aNewPatient({ name: 7, dateOfBirth: 'yesterday' }),
      'a common password': () => aNewPatient({ password: 'password1' }),
    },
  },
  registerDoctor: {
    right: () => aNewDoctor(),
    wrong: {
      'an e-mail that is taken': ({ patient }) => aNewDoctor({ email: patient.email }),
      'a document of another type': () =>
        aNewDoctor({ licenseFile: licence('l.pdf', Buffer.from('<html>')) }),
      'a text in place of a document': () => aNewDoctor({ diplomaFile: 'a text' }),
      'every text too long': () => aNewDoctor({ name: LONG, specialization: LONG, licenseNumber: LONG }),
    },
  },
  login: {
    right: ({ patient: { email, password } }) => ({ email, password }),
    wrong: {
      'a wrong password': ({ patient }) => ({ email: patient.email, password: 'wrong' }),
      'an unknown e-mail': () => ({ email: 'nobody@example.org', password: 'wrong' }),
      'a disabled account': ({ disabled: { email, password } }) => ({ email, password }),
      'no code of an app': ({ owner: { email, password } }) => ({ email, password }),
      'a wrong code of an app': ({ owner }) => ({ email: owner.email, ...wrongProof({ owner } as Cast) }),
      'no e-mail': ({ patient }) => ({ email: 'none', password: patient.password }),
      'an operator': ({ operator: { email, password } }) => ({ email, password }),
    },
  },
  logout: { as: 'patient', right: NOTHING },
  user: { as: 'patient', others: ['doctor', 'reviewer', 'operator', 'disabled'], right: NOTHING },
  me: { as: 'patient', others: ['doctor', 'rejected', 'reviewer', 'operator', 'disabled'], right: NOTHING },
  myTokens: { as: 'patient', right: NOTHING },
  exportMyData: { as: 'doctor', others: ['patient', 'owner', 'keyholder'], right: NOTHING },
  revokeToken: {
    as: 'patient',
    right: ({ patient }) => ({ id: patient.token.slice(0, 24) }),
    wrong: {
      'an unknown id': ({ unknownToken }) => ({ id: unknownToken.slice(0, 24) }),
      'the token of somebody else': ({ doctor }) => ({ id: doctor.token.slice(0, 24) }),
    },
  },
  revokeOtherTokens: { as: 'patient', right: NOTHING },
  updateMyProfile: {
    as: 'doctor',
    others: ['patient', 'reviewer'],
    right: () => ({ name: 'Dr. Another', phone: '+49 30 7', workHistory: 'One\nTwo' }),
    wrong: {
      'every text too long': () => ({ name: LONG, phone: LONG, specialization: LONG }),
      'wrong types': () => ({ name: 7, dateOfBirth: 'yesterday' }),
      'an unknown language': () => ({ language: 'tlh' }),
    },
  },
  changePassword: {
    as: 'patient',
    others: ['owner'],
    right: ({ patient }) => ({ currentPassword: patient.password, newPassword: NEW_PASSWORD }),
    wrong: {
      'a wrong password': () => ({ currentPassword: 'wrong', newPassword: NEW_PASSWORD }),
      'a common password': ({ patient }) => ({ currentPassword: patient.password, newPassword: 'password1' }),
      'both wrong': () => ({ currentPassword: 'wrong', newPassword: 'x' }),
    },
  },
  requestPasswordReset: {
    right: ({ patient }) => ({ email: patient.email }),
    wrong: {
      'an unknown e-mail': () => ({ email: 'nobody@example.org' }),
      'a disabled account': ({ disabled }) => ({ email: disabled.email }),
      'an unproven e-mail': ({ unproven }) => ({ email: unproven.email }),
      'no e-mail': () => ({ email: 'none' }),
    },
  },
  resetPassword: {
    right: ({ resetToken: token }) => ({ token, newPassword: NEW_PASSWORD }),
    wrong: {
      'an unknown token': () => ({ token: 'unknown', newPassword: NEW_PASSWORD }),
      'an unknown token and a short password': () => ({ token: 'unknown', newPassword: 'x' }),
      'a common password': ({ resetToken: token }) => ({ token, newPassword: 'password1' }),
      'the token of another link': ({ emailToken: token }) => ({ token, newPassword: NEW_PASSWORD }),
    },
  },
  requestEmailVerification: { as: 'unproven', others: ['patient'], right: NOTHING },
  verifyEmail: {
    right: ({ emailToken: token }) => ({ token }),
    wrong: {
      'an unknown token': () => ({ token: 'unknown' }),
      'the token of another link': ({ resetToken: token }) => ({ token }),
    },
  },
  changeEmail: {
    as: 'owner',
    others: ['unproven'],
    right: (cast) => ({ email: 'another@example.org', ...proof(cast) }),
    wrong: {
      'an e-mail that is taken': (cast) => ({ email: cast.patient.email, ...proof(cast) }),
      'the same e-mail': (cast) => ({ email: cast.owner.email, ...proof(cast) }),
      'no e-mail and a wrong code': (cast) => ({ email: 'none', ...wrongProof(cast) }),
      'a wrong code': (cast) => ({ email: 'another@example.org', ...wrongProof(cast) }),
    },
  },
  deleteMyAccount: { as: 'owner', others: ['reviewer'], right: proof, wrong: PROOFS },
  completeLogin: {
    right: ({ challenge, owner }) => ({ challenge, code: codeAt(owner.secretKey) }),
    wrong: {
      'a wrong code': ({ challenge, owner }) => ({ challenge, code: wrongCode(owner.secretKey) }),
      'an unknown challenge': ({ owner }) => ({ challenge: 'unknown', code: codeAt(owner.secretKey) }),
      'a wrong recovery code': ({ challenge }) => ({ challenge, recoveryCode: 'wrong' }),
      'no code': ({ challenge }) => ({ challenge }),
    },
  },
  myTwoFactor: { as: 'owner', others: ['patient'], right: NOTHING },
  enableTwoFactor: {
    as: 'patient',
    others: ['unproven'],
    right: ({ patient: { password } }) => ({ password }),
    wrong: { 'a wrong password': () => ({ password: 'wrong' }) },
  },
  confirmTwoFactor: {
    as: 'patient',
    others: ['owner'],
    right: async ({ url, patient: { password, token } }) => {
      const { data } = await byRest(url)('enableTwoFactor', { password }, token);
      return { code: codeAt(String(data.secretKey)) };
    },
    wrong: { 'no app to confirm': () => ({ code: '000000' }) },
  },
  disableTwoFactor: { as: 'owner', others: ['patient'], right: proof, wrong: PROOFS },
  renewRecoveryCodes: { as: 'owner', others: ['patient'], right: proof, wrong: PROOFS },
  stepUp: { as: 'owner', others: ['patient'], right: proof, wrong: PROOFS },
  invitation: {
    right: ({ invitationToken: token }) => ({ token }),
    wrong: { 'an unknown token': () => ({ token: 'unknown' }), 'no token': () => ({ token: '' }) },
  },
  passkeyLoginOptions: { right: NOTHING },
  loginWithPasskey: {
    right: async (cast) => ({ credential: await credentialOf(cast, false) }),
    wrong: {
      'another credential': async (cast) => ({
        credential: { ...(await credentialOf(cast, false)), id: 'AAAA' },
      }),
      'a credential of a confirmation': async (cast) => ({ credential: await credentialOf(cast) }),
    },
  },
  passkeyConfirmOptions: { as: 'keyholder', others: ['patient'], right: NOTHING },
  confirmPasskey: {
    as: 'keyholder',
    right: async (cast) => ({ credential: await credentialOf(cast) }),
    wrong: { 'a credential of a login': async (cast) => ({ credential: await credentialOf(cast, false) }) },
  },
  passkeyAddOptions: {
    as: 'keyholder',
    others: ['unproven'],
    right: async (cast) => ({ credential: await credentialOf(cast) }),
    wrong: {
      'a wrong password': () => ({ password: 'wrong' }),
      'the password alone': ({ keyholder: { password } }) => ({ password }),
    },
  },
  addPasskey: {
    as: 'keyholder',
    right: async (cast) => ({ credential: await newCredential(cast), name: 'The second key' }),
    wrong: {
      'a name that is too long': async (cast) => ({ credential: await newCredential(cast), name: LONG }),
      'a credential of a login': async (cast) => ({ credential: await credentialOf(cast, false) }),
    },
  },
  myPasskeys: { as: 'keyholder', others: ['patient'], right: NOTHING },
  renamePasskey: {
    as: 'keyholder',
    others: ['patient'],
    right: ({ passkeyId: id }) => ({ id, name: 'My key' }),
    wrong: {
      'an unknown id': () => ({ id: 'unknown', name: 'My key' }),
      'a name that is too long': ({ passkeyId: id }) => ({ id, name: LONG }),
    },
  },
  removePasskey: {
    as: 'keyholder',
    others: ['patient'],
    right: async (cast) => ({ id: cast.passkeyId, credential: await credentialOf(cast) }),
    wrong: {
      'an unknown id': async (cast) => ({ id: 'unknown', credential: await credentialOf(cast) }),
      'a wrong password': ({ passkeyId: id }) => ({ id, password: 'wrong' }),
    },
  },
  doctorsForReview: {
    as: 'reviewer',
    others: ['patient', 'doctor', 'operator'],
    right: () => ({ status: 'PENDING' }),
    wrong: {
      'too many at once': () => ({ first: 10_000 }),
      'an unknown cursor': () => ({ after: 'unknown' }),
    },
  },
  doctorForReview: {
    as: 'reviewer',
    others: ['patient', 'doctor', 'operator'],
    right: ({ doctor: { id } }) => ({ id }),
    wrong: { 'an unknown doctor': () => ({ id: 'unknown' }), 'no id': () => ({ id: '' }) },
  },
  decideOnDoctor: {
    as: 'reviewer',
    others: ['patient', 'doctor', 'operator'],
    right: ({ doctor: { id } }) => ({ id, revision: 0, decision: 'APPROVE' }),
    wrong: {
      'an unknown doctor': () => ({ id: 'unknown', revision: 0, decision: 'APPROVE' }),
      'an old revision': ({ rejected: { id } }) => ({ id, revision: 0, decision: 'APPROVE' }),
      'no reason': ({ doctor: { id } }) => ({ id, revision: 0, decision: 'REJECT' }),
    },
  },
  resubmitDocuments: {
    as: 'rejected',
    others: ['patient', 'doctor'],
    right: newDocuments,
    wrong: {
      'one document': () => ({ licenseFile: licence() }),
      'a document of another type': () => ({
        ...newDocuments(),
        diplomaFile: licence('l.pdf', Buffer.from('<html>')),
      }),
    },
  },
};
