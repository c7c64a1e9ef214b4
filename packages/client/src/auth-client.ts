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
import { checkOptions, checkToken } from './options.ts';
import { SessionCalls } from './session-calls.ts';
import { SessionStore } from './session-store.ts';
import { StoredToken } from './token-storage.ts';
import type { AuthClient, AuthClientOptions, DoctorFields } from './types.ts';

const STORAGE_KEY = 'auth-gateway.token';

/**
 * Makes a client. It reads the stored token, and sends nothing until one of its functions is called.
 * @throws TypeError if options are missing or wrong; the message names all of them
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const endpoint = checkOptions(options);
  const { token, storage = 'memory', storageKey = STORAGE_KEY, onTokenChange } = options;
  const gateway = new Gateway(endpoint, options, () => store.ready);
  const store = new SessionStore({
    stored: new StoredToken(storage, storageKey),
    token: token || null,
    askMe: () => me(),
    onTokenChange,
  });
  const calls = new SessionCalls(gateway, store);
  const me: AuthClient['me'] = (call) =>
    calls.withToken(MeDocument, {}, call, (token, account) => store.confirm(token, account));
  const forget = (token: string | null) => store.forget(token);

  return {
    get token() {
      return store.token;
    },
    set token(value) {
      checkToken(value);
      store.setToken(value || null);
    },
    get session() {
      return store.session;
    },
    subscribe: (listener) => store.subscribe(listener),
    refresh: () => store.refresh(),
    ready: store.ready,

    async registerDoctor(fields, call) {
      const opened = await openDocuments(fields);
      if (!opened.ok) {
        return opened;
      }
      const input = doctorInput(fields);
      return calls.logIn(RegisterDoctorDocument, { input }, { ...call, files: opened.data });
    },

    // Field by field: the object of a program may have more fields, and the gateway would refuse those.
    registerPatient({ name, email, password, phone, dateOfBirth }, call) {
      // An empty date is none, like an empty text. The type `Date` of GraphQL has no empty value.
      const input = { name, email, password, phone, dateOfBirth: dateOfBirth || null };
      return calls.logIn(RegisterPatientDocument, { input }, call);
    },

    login: ({ email, password }, call) => calls.logIn(LoginDocument, { input: { email, password } }, call),

    logout: (call) => calls.withToken(LogoutDocument, {}, call, forget),

    me,

    tokens: {
      list: (call) => calls.withToken(MyTokensDocument, {}, call),
      revoke: (id, call) =>
        calls.withToken(RevokeTokenDocument, { id }, call, (token, isRevoked) =>
          // A token begins with its id. The own one may be revoked, too.
          isRevoked && token?.startsWith(`${id}|`) ? store.forget(token) : undefined,
        ),
      revokeOthers: (call) => calls.withToken(RevokeOtherTokensDocument, {}, call),
    },

    password: {
      change: ({ currentPassword, newPassword, revokeOtherTokens }, call) => {
        const input = { currentPassword, newPassword, revokeOtherTokens };
        return calls.withToken(ChangePasswordDocument, { input }, call);
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
      const upload = { ...call, files: opened.data };
      return calls.withToken(ResubmitDocumentsDocument, { input: NO_DOCUMENTS }, upload);
    },

    reviews: {
      list: ({ status, first, after } = {}, call) =>
        calls.withToken(DoctorsForReviewDocument, { status, first, after }, call),
      decide: ({ id, revision, decision, reason }, call) =>
        calls.withToken(DecideOnDoctorDocument, { id, revision, decision, reason }, call),
    },

    exportMyData: (call) => calls.withToken(ExportMyDataDocument, {}, call),

    deleteMyAccount: ({ password }, call) =>
      calls.withToken(DeleteMyAccountDocument, { input: { password } }, call, forget),
  };
}

/** The input of the operation. The program's object may have more fields, and the gateway would refuse those. */
function doctorInput(fields: DoctorFields): RegisterDoctorInput {
  const { name, email, password, phone, specialization, licenseNumber } = fields;
  const { currentInstitution, workHistory, publications, practiceAddress } = fields;
  const about = { currentInstitution, workHistory, publications, practiceAddress };
  return { name, email, password, phone, specialization, licenseNumber, ...about, ...NO_DOCUMENTS };
}
