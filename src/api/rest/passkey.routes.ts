import { type Request, type RequestHandler, Router } from 'express';
import type { PasskeyData } from '../../auth/account-data.ts';
import type { Caller } from '../../auth/caller.ts';
import type { OwnPasskeys } from '../../auth/passkeys/own-passkeys.ts';
import type { PasskeyLogin } from '../../auth/passkeys/passkey-login.ts';
import type { TokenAct } from '../../auth/tokens/abilities.ts';
import type { TwoFactor } from '../../auth/two-factor/two-factor.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { onlyMethod, presentTime } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation } from '../http/request-record.ts';
import type { InputClass, InputValidator } from '../inputs/input-validator.ts';
import {
  AddPasskeyInput,
  ConfirmPasskeyInput,
  LoginWithPasskeyInput,
  PasskeyAddOptionsInput,
  RemovePasskeyInput,
  RenamePasskeyInput,
} from '../inputs/passkey.input.ts';
import { presentAuthenticated, restName } from './presenters.ts';

interface PasskeyParts {
  ownPasskeys: OwnPasskeys;
  passkeyLogin: PasskeyLogin;
  twoFactor: TwoFactor;
  validator: InputValidator;
  /** Read the fields of a request, in every form that the other endpoints take. */
  fields: RequestHandler[];
  idFormat: IdFormat;
}

/** The endpoints of passkeys, with Laravel's names below `/api/v1/auth` (docs/contract.md, "Passkeys"). */
export function passkeyRoutes(parts: PasskeyParts): Router {
  const { ownPasskeys, passkeyLogin, twoFactor, validator, fields, idFormat } = parts;
  const router = Router({ caseSensitive: true, strict: false });
  /** As in Laravel, a caller whose token may not do an act hears only that, whatever the body is. */
  const authorize =
    (act?: TokenAct): RequestHandler =>
    async (req, _res, next) => {
      await ownPasskeys.authorize(act, callerOf(req));
      next();
    };
  /** The input of an endpoint, and who calls it. */
  const read = async <T extends object>(type: InputClass<T>, req: Request): Promise<[T, Caller]> => [
    await validator.read(type, req.body, restName),
    callerOf(req),
  ];

  router
    .route('/passkeys/login/options')
    .get(operation('passkeys/login/options'), async (_req, res) => {
      res.json({ options: await passkeyLogin.options() });
    })
    .all(onlyMethod('GET, HEAD'));

  router
    .route('/passkeys/login')
    .post(operation('passkeys/login'), authorize(), ...fields, async (req, res) => {
      const [{ credential }, caller] = await read(LoginWithPasskeyInput, req);
      res.json(presentAuthenticated(await passkeyLogin.run(credential, caller), idFormat));
    })
    .all(onlyMethod('POST'));

  router
    .route('/passkeys/confirm/options')
    .get(operation('passkeys/confirm/options'), async (req, res) => {
      res.json({ options: await ownPasskeys.confirmOptions(callerOf(req)) });
    })
    .all(onlyMethod('GET, HEAD'));

  router
    .route('/passkeys/confirm')
    .post(operation('passkeys/confirm'), authorize('stepUp'), ...fields, async (req, res) => {
      const [{ credential }, caller] = await read(ConfirmPasskeyInput, req);
      res.json(presentAuthenticated(await twoFactor.stepUp({ credential }, caller), idFormat));
    })
    .all(onlyMethod('POST'));

  // These two take a challenge in place of a token, so only the body says whose they are.
  router
    .route('/user/passkeys/options')
    .post(operation('user/passkeys/options'), authorize(), ...fields, async (req, res) => {
      res.json({ options: await ownPasskeys.addOptions(...(await read(PasskeyAddOptionsInput, req))) });
    })
    .all(onlyMethod('POST'));

  router
    .route('/user/passkeys')
    .get(operation('user/passkeys'), async (req, res) => {
      const { userHandle, passkeys: own } = await ownPasskeys.list(callerOf(req));
      res.json({ user_handle: userHandle, passkeys: own.map(presentPasskey) });
    })
    .post(operation('user/passkeys'), authorize(), ...fields, async (req, res) => {
      const added = await ownPasskeys.add(...(await read(AddPasskeyInput, req)));
      res.status(201).json({ passkey: presentPasskey(added) });
    })
    .all(onlyMethod('GET, HEAD, POST'));

  router
    .route('/user/passkeys/:id')
    .put(operation('user/passkeys/{id}'), authorize('renamePasskey'), ...fields, async (req, res) => {
      const [{ name }, caller] = await read(RenamePasskeyInput, req);
      res.json({ passkey: presentPasskey(await ownPasskeys.rename(req.params.id, name, caller)) });
    })
    .all(onlyMethod('PUT'));

  router
    .route('/user/passkeys/:id/remove')
    .post(operation('user/passkeys/{id}/remove'), authorize('removePasskey'), ...fields, async (req, res) => {
      await ownPasskeys.remove(req.params.id, ...(await read(RemovePasskeyInput, req)));
      res.json({ status: 'passkey-removed' });
    })
    .all(onlyMethod('POST'));

  return router;
}

const presentPasskey = ({ id, credentialId, name, createdAt, lastUsedAt, backedUp }: PasskeyData) => ({
  ...{ id, credential_id: credentialId, name },
  created_at: createdAt && presentTime(createdAt),
  last_used_at: lastUsedAt && presentTime(lastUsedAt),
  backed_up: backedUp,
});
