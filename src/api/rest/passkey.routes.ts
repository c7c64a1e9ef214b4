import type { PasskeyData } from '../../auth/account-data.ts';
import type { OwnPasskeys } from '../../auth/passkeys/own-passkeys.ts';
import type { PasskeyLogin } from '../../auth/passkeys/passkey-login.ts';
import type { TwoFactor } from '../../auth/two-factor/two-factor.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { presentTime } from '../http/error-responses.ts';
import {
  AddPasskeyInput,
  ConfirmPasskeyInput,
  LoginWithPasskeyInput,
  PasskeyAddOptionsInput,
  RemovePasskeyInput,
  RenamePasskeyInput,
} from '../inputs/passkey.input.ts';
import type { Endpoints } from './endpoints.ts';
import { presentAuthenticated } from './presenters.ts';

export interface PasskeyRestParts {
  ownPasskeys: OwnPasskeys;
  passkeyLogin: PasskeyLogin;
  twoFactor: TwoFactor;
  idFormat: IdFormat;
}

/** The endpoints of passkeys, with Laravel's names (docs/contract.md, "Passkeys"). */
export function passkeyEndpoints(endpoints: Endpoints, parts: PasskeyRestParts): void {
  const { ownPasskeys, passkeyLogin, twoFactor, idFormat } = parts;

  endpoints.read('passkeyLoginOptions', async () => ({ options: await passkeyLogin.options() }));

  endpoints.take('loginWithPasskey', LoginWithPasskeyInput, async ({ credential }, caller) =>
    presentAuthenticated(await passkeyLogin.run(credential, caller), idFormat),
  );

  endpoints.read('passkeyConfirmOptions', async (caller, session) => ({
    options: await ownPasskeys.confirmOptions(session, caller),
  }));

  endpoints.take('confirmPasskey', ConfirmPasskeyInput, async ({ credential }, caller, session) =>
    presentAuthenticated(await twoFactor.stepUp({ credential }, session, caller), idFormat),
  );

  endpoints.take('passkeyAddOptions', PasskeyAddOptionsInput, async (input, caller, admitted) => ({
    options: await ownPasskeys.addOptions(input, admitted, caller),
  }));

  endpoints.read('myPasskeys', async (caller, session) => {
    const { userHandle, passkeys } = await ownPasskeys.list(session, caller);
    return { user_handle: userHandle, passkeys: passkeys.map(presentPasskey) };
  });

  endpoints.take('addPasskey', AddPasskeyInput, async (input, caller, admitted) => ({
    passkey: presentPasskey(await ownPasskeys.add(input, admitted, caller)),
  }));

  endpoints.take('renamePasskey', RenamePasskeyInput, async ({ name }, caller, session, { id = '' }) => ({
    passkey: presentPasskey(await ownPasskeys.rename(id, name, session, caller)),
  }));

  endpoints.take('removePasskey', RemovePasskeyInput, async (input, caller, session, { id = '' }) => {
    await ownPasskeys.remove(id, input, session, caller);
    return { status: 'passkey-removed' };
  });
}

const presentPasskey = ({ id, credentialId, name, createdAt, lastUsedAt, backedUp }: PasskeyData) => ({
  ...{ id, credential_id: credentialId, name },
  created_at: createdAt && presentTime(createdAt),
  last_used_at: lastUsedAt && presentTime(lastUsedAt),
  backed_up: backedUp,
});
