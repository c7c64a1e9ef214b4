import { NO_DOCUMENTS, openDocuments } from './document-uploads.ts';
import { Gateway } from './gateway.ts';
import {
  ChangePasswordDocument,
  DecideOnDoctorDocument,
  DeleteMyAccountDocument,
  DoctorsForReviewDocument,
  ExportMyDataDocument,
  LoginDocument,
  LogoutDocument,
  MeDocument,
  MyTokensDocument,
  RegisterDoctorDocument,
  type RegisterDoctorInput,
  RegisterPatientDocument,
  RequestPasswordResetDocument,
  ResetPasswordDocument,
  ResubmitDocumentsDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from './generated/graphql.ts';
import { bearer } from './request.ts';
import type { Result } from './results.ts';
import type { AuthClient, AuthClientOptions, CallOptions, DoctorFields } from './types.ts';

/**
 * Makes a client. It sends nothing until one of its functions is called.
 * @throws TypeError if `url` is missing or not an address; the message says which
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  // JavaScript callers may pass nothing at all.
  const { token = null } = options ?? {};
  const gateway = new Gateway(options ?? {});
  /** Adds the token. Login and registration need none, so they do not send it. */
  const authorized = (call?: CallOptions) => ({ ...call, headers: bearer(client.token) });
  const keepToken = <R extends Result<{ token: string }, string>>(result: R): R => {
    if (result.ok) {
      client.token = result.data.token;
    }
    return result;
  };
  /** Forgets the token of a call, unless a login has set another one meanwhile. */
  const forget = (token: string | null) => {
    if (client.token === token) {
      client.token = null;
    }
  };

  const client: AuthClient = {
    token,

    async registerDoctor(fields, call) {
      const opened = await openDocuments(fields);
      if (!opened.ok) {
        return opened;
      }
      const input = doctorInput(fields);
      return keepToken(await gateway.run(RegisterDoctorDocument, { input }, { ...call, files: opened.data }));
    },

    // Field by field: the object of a program may have more fields, and the gateway would refuse those.
    async registerPatient({ name, email, password, phone, dateOfBirth }, call) {
      // An empty date is none, like an empty text. The type `Date` of GraphQL has no empty value.
      const input = { name, email, password, phone, dateOfBirth: dateOfBirth || null };
      return keepToken(await gateway.run(RegisterPatientDocument, { input }, call));
    },

    async login({ email, password }, call) {
      return keepToken(await gateway.run(LoginDocument, { input: { email, password } }, call));
    },

    async logout(call) {
      const { token } = client;
      const result = await gateway.run(LogoutDocument, {}, authorized(call));
      if (result.ok || result.error.code === 'UNAUTHENTICATED') {
        forget(token);
      }
      return result;
    },

    me: (call) => gateway.run(MeDocument, {}, authorized(call)),

    tokens: {
      list: (call) => gateway.run(MyTokensDocument, {}, authorized(call)),
      revoke: (id, call) => gateway.run(RevokeTokenDocument, { id }, authorized(call)),
      revokeOthers: (call) => gateway.run(RevokeOtherTokensDocument, {}, authorized(call)),
    },

    password: {
      change: ({ currentPassword, newPassword, revokeOtherTokens }, call) => {
        const input = { currentPassword, newPassword, revokeOtherTokens };
        return gateway.run(ChangePasswordDocument, { input }, authorized(call));
      },
      requestReset: (email, call) => gateway.run(RequestPasswordResetDocument, { email }, call),
      reset: ({ token, newPassword }, call) =>
        gateway.run(ResetPasswordDocument, { input: { token, newPassword } }, call),
    },

    async resubmitDocuments(documents, call) {
      const opened = await openDocuments(documents);
      if (!opened.ok) {
        return opened;
      }
      const upload = { ...authorized(call), files: opened.data };
      return gateway.run(ResubmitDocumentsDocument, { input: NO_DOCUMENTS }, upload);
    },

    reviews: {
      list: ({ status, first, after } = {}, call) =>
        gateway.run(DoctorsForReviewDocument, { status, first, after }, authorized(call)),
      decide: ({ id, revision, decision, reason }, call) =>
        gateway.run(DecideOnDoctorDocument, { id, revision, decision, reason }, authorized(call)),
    },

    exportMyData: (call) => gateway.run(ExportMyDataDocument, {}, authorized(call)),

    async deleteMyAccount({ password }, call) {
      const { token } = client;
      const result = await gateway.run(DeleteMyAccountDocument, { input: { password } }, authorized(call));
      if (result.ok) {
        forget(token);
      }
      return result;
    },
  };
  return client;
}

/** The input of the operation. The program's object may have more fields, and the gateway would refuse those. */
function doctorInput(fields: DoctorFields): RegisterDoctorInput {
  const { name, email, password, phone, specialization, licenseNumber } = fields;
  const { currentInstitution, workHistory, publications, practiceAddress } = fields;
  const about = { currentInstitution, workHistory, publications, practiceAddress };
  return { name, email, password, phone, specialization, licenseNumber, ...about, ...NO_DOCUMENTS };
}
