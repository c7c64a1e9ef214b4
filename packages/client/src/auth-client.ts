import { NO_DOCUMENTS, openDocuments } from './document-uploads.ts';
import { Gateway } from './gateway.ts';
import { operation, plainOperations } from './operations.ts';
import { checkOptions, checkToken } from './options.ts';
import { passkeyFunctions } from './passkeys.ts';
import { SessionCalls } from './session-calls.ts';
import { SessionState } from './session-state.ts';
import { StoredToken } from './token-storage.ts';
import type { AuthClient, AuthClientOptions } from './types.ts';

const STORAGE_KEY = 'auth-gateway.token';

/**
 * Makes a client. It reads the stored token, and sends nothing until one of its functions is called.
 * @throws TypeError if options are missing or wrong; the message names all of them
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const endpoint = checkOptions(options);
  const { token, storage = 'memory', storageKey = STORAGE_KEY, onTokenChange } = options;
  const isCookie = options.session === 'cookie';
  const gateway = new Gateway(endpoint, options, () => store.ready);
  const store = new SessionState({
    stored: new StoredToken(storage, storageKey),
    token: token || null,
    isCookie,
    askMe: () => me(),
    onTokenChange,
  });
  const calls = new SessionCalls(gateway, store);
  const me: AuthClient['me'] = (call) =>
    calls.withToken(...operation('me'), call, (token, account) => store.confirm(token, account));
  const forget = (token: string | null) => store.forget(token);
  /** A token begins with its id. The own one may be revoked, too; of one in a cookie only the gateway knows. */
  const afterRevocation = (id: string, token: string | null) =>
    isCookie ? me() : token?.startsWith(`${id}|`) && store.forget(token);
  const { tellDevices, ...passkeys } = passkeyFunctions(calls, () => store.session);

  return {
    ...plainOperations(calls),

    get token() {
      return isCookie ? null : store.token;
    },
    set token(value) {
      checkToken(value, isCookie);
      void store.setToken(value || null);
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
      const [document, { input }] = operation('registerDoctor', fields);
      return calls.logIn(document, { input: { ...input, ...NO_DOCUMENTS } }, { ...call, files: opened.data });
    },

    registerPatient(fields, call) {
      const [document, { input }] = operation('registerPatient', fields);
      // An empty date is none, like an empty text. The type `Date` of GraphQL has no empty value.
      return calls.logIn(document, { input: { ...input, dateOfBirth: input.dateOfBirth || null } }, call);
    },

    login: (credentials, call) => calls.logIn(...operation('login', credentials), call),

    completeLogin: (input, call) => calls.logIn(...operation('completeLogin', input), call),

    confirmTwoFactor: (input, call) => calls.replaceToken(...operation('confirmTwoFactor', input), call),

    stepUp: (input, call) => calls.replaceToken(...operation('stepUp', input), call),

    logout: (call) => calls.withToken(...operation('logout'), call, forget),

    me,

    updateMyProfile: (fields, call) =>
      calls.withToken(...operation('updateMyProfile', fields), call, async (token, account) => {
        await store.confirm(token, account);
        tellDevices();
      }),

    verifyEmail: (fields, call) =>
      calls.withToken(...operation('verifyEmail', fields), call, async () => {
        // The devices get the new e-mail, if it is that of this session.
        if (store.session.status === 'authenticated') {
          await me();
          tellDevices();
        }
      }),

    passkeys,

    tokens: {
      list: (call) => calls.withToken(...operation('myTokens'), call),
      revoke: (id, call) =>
        calls.withToken(...operation('revokeToken', { id }), call, (token, isRevoked) =>
          isRevoked ? afterRevocation(id, token) : undefined,
        ),
      revokeOthers: (call) => calls.withToken(...operation('revokeOtherTokens'), call),
    },

    password: {
      change: (input, call) => calls.withToken(...operation('changePassword', input), call),
      requestReset: (email, call) => gateway.run(...operation('requestPasswordReset', { email }), call),
      reset: (input, call) => gateway.run(...operation('resetPassword', input), call),
    },

    async resubmitDocuments(documents, call) {
      const opened = await openDocuments(documents);
      if (!opened.ok) {
        return opened;
      }
      const upload = { ...call, files: opened.data };
      return calls.withToken(...operation('resubmitDocuments', NO_DOCUMENTS), upload);
    },

    reviews: {
      list: (query, call) => calls.withToken(...operation('doctorsForReview', query), call),
      decide: (review, call) => calls.withToken(...operation('decideOnDoctor', review), call),
    },

    deleteMyAccount: (input, call) => calls.withToken(...operation('deleteMyAccount', input), call, forget),
  };
}
