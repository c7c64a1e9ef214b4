import { canAutofill, canSignal, create, get, isSupported, type PasskeyJson, signal } from './ceremony.ts';
import type { CallOptions } from './exchange.ts';
import { operation } from './operations.ts';
import type { Result } from './results.ts';
import type { SessionCalls } from './session-calls.ts';
import type { PasskeyFunctions, Session } from './types.ts';

/** A challenge of a login is valid for ten minutes. A page that waits in autofill gets another one before that. */
const RENEWAL_MILLIS = 540_000;

/** The functions of passkeys: each asks for its options, lets the browser run the ceremony, and sends what it made. */
export function passkeyFunctions(
  calls: SessionCalls,
  session: () => Session,
): PasskeyFunctions & {
  /** Tells the devices the name and e-mail of the person. In the background: nothing waits for it. */
  tellDevices: () => void;
} {
  const refuseUnknown = async <R extends Result<unknown, string>>(
    result: R,
    credential: PasskeyJson,
    rpId: unknown,
  ) => {
    if (!result.ok && result.error.code === 'BAD_USER_INPUT' && result.error.unknownCredential) {
      await signal('signalUnknownCredential', { rpId, credentialId: credential.id });
    }
    return result;
  };

  /** Tells the devices which passkeys there are, and whose. Whatever fails is tried again another time. */
  const tell = async (rpId: unknown): Promise<void> => {
    if (!canSignal()) {
      return;
    }
    const { account } = session() as { account?: { name: string; email: string } };
    const listed = await calls.withToken(...operation('myPasskeys'));
    if (listed.ok && listed.data.userHandle && account) {
      const { userHandle: userId, passkeys } = listed.data;
      const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId);
      await signal('signalAllAcceptedCredentials', { rpId, userId, allAcceptedCredentialIds });
      await signal('signalCurrentUserDetails', {
        rpId,
        userId,
        name: account.email,
        displayName: account.name,
      });
    }
  };
  const optionsOfLogin = (call?: CallOptions) => calls.withToken(...operation('passkeyLoginOptions'), call);

  const tellAll = async (): Promise<void> => {
    if (!canSignal()) {
      return;
    }
    const found = await optionsOfLogin();
    await (found.ok && tell(found.data.options.rpId));
  };

  const logIn = async (isAutofill: boolean, call?: CallOptions) => {
    // What waits in autofill may be ended at any time: that must break off no request.
    const request = isAutofill ? { timeoutMillis: call?.timeoutMillis } : call;
    const found = await optionsOfLogin(request);
    if (!found.ok) {
      return found;
    }
    const { options } = found.data;
    const made = await get(options, isAutofill, call?.signal);
    if (!made.ok) {
      return made;
    }
    const fields = { credential: made.data };
    const result = await calls.logIn(...operation('loginWithPasskey', fields), request);
    if (result.ok) {
      void tell(options.rpId);
    }
    return refuseUnknown(result, made.data, options.rpId);
  };

  /** Waits in autofill, with a new challenge before the old one ends. */
  const autofill: PasskeyFunctions['autofill'] = async (call = {}) => {
    for (;;) {
      const renewal = new AbortController();
      const stop = () => renewal.abort();
      call.signal?.addEventListener('abort', stop, { once: true });
      if (call.signal?.aborted) {
        stop();
      }
      const timer = setTimeout(stop, RENEWAL_MILLIS);
      const result = await logIn(true, { ...call, signal: renewal.signal });
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', stop);
      const isRenewed = renewal.signal.aborted && !call.signal?.aborted;
      if (!isRenewed || result.ok || result.error.code !== 'CANCELLED') {
        return result;
      }
    }
  };

  return {
    isSupported,
    canAutofill,
    login: (call) => logIn(false, call),
    autofill,

    async confirm(call) {
      const found = await calls.withToken(...operation('passkeyConfirmOptions'), call);
      return found.ok ? get(found.data.options, false, call?.signal) : found;
    },

    async add({ name, ...owner }, call) {
      const found = await calls.withToken(...operation('passkeyAddOptions', owner), call);
      if (!found.ok) {
        return found;
      }
      const { options } = found.data;
      const made = await create(options, call?.signal);
      if (!made.ok) {
        return made;
      }
      const { challenge } = owner;
      const fields = { credential: made.data, name, challenge };
      const added = await calls.withToken(...operation('addPasskey', fields), call);
      const { id: rpId } = options.rp as { id: unknown };
      if (added.ok) {
        void (challenge || tell(rpId));
      } else if (added.error.code === 'BAD_USER_INPUT') {
        // The device has it by now, and the gateway does not.
        await signal('signalUnknownCredential', { rpId, credentialId: made.data.id });
      }
      return added;
    },

    list: (call) => calls.withToken(...operation('myPasskeys'), call),

    rename: (id, name, call) => calls.withToken(...operation('renamePasskey', { id, input: { name } }), call),

    async remove(id, input, call) {
      const { code, recoveryCode, password, credential } = input;
      const proof = { code, recoveryCode, password, credential };
      const removed = await calls.withToken(...operation('removePasskey', { id, input: proof }), call);
      if (removed.ok) {
        void tellAll();
      }
      return removed;
    },

    tellDevices: () => void tellAll(),
  };
}
