import { type RequestHandler, Router } from 'express';
import type { AuthService } from '../../auth/auth-service.ts';
import type { Caller } from '../../auth/caller.ts';
import type { TokenAct } from '../../auth/tokens/abilities.ts';
import type { TwoFactor } from '../../auth/two-factor/two-factor.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { onlyMethod, presentTime } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation } from '../http/request-record.ts';
import type { InputClass, InputValidator } from '../inputs/input-validator.ts';
import {
  CompleteLoginInput,
  ConfirmTwoFactorInput,
  DisableTwoFactorInput,
  EnableTwoFactorInput,
  RenewRecoveryCodesInput,
  StepUpInput,
} from '../inputs/two-factor.input.ts';
import { presentAuthenticated, restName } from './presenters.ts';

interface TwoFactorParts {
  auth: AuthService;
  twoFactor: TwoFactor;
  validator: InputValidator;
  /** Read the fields of a request, in every form that the other endpoints take. */
  fields: RequestHandler[];
  idFormat: IdFormat;
}

/** The endpoints of the second factor, with Fortify's names below `/api/v1/auth` (docs/contract.md, "A second factor"). */
export function twoFactorRoutes({ auth, twoFactor, validator, fields, idFormat }: TwoFactorParts): Router {
  const router = Router({ caseSensitive: true, strict: false });
  /** An act that takes an input. As in Laravel, a caller whose token may not do it hears only that, whatever the body is. */
  const act = <T extends object>(
    path: string,
    type: InputClass<T>,
    run: (input: T, caller: Caller) => Promise<object>,
    needs?: TokenAct,
  ) => {
    const authorize: RequestHandler = async (req, _res, next) => {
      await twoFactor.authorize(needs, callerOf(req));
      next();
    };
    router.route(path).post(operation(path.slice(1)), authorize, ...fields, async (req, res) => {
      const input = await validator.read(type, req.body, restName);
      res.json(await run(input, callerOf(req)));
    });
    return router.route(path);
  };

  act('/two-factor-challenge', CompleteLoginInput, async (input, caller) =>
    presentAuthenticated(await auth.completeLogin(input, caller), idFormat),
  ).all(onlyMethod('POST'));

  // These two take a challenge in place of a token, so only the body says whose they are.
  act('/user/two-factor-authentication', EnableTwoFactorInput, async (input, caller) => {
    const { secretKey, url, svg } = await twoFactor.enable(input, caller);
    return { secret_key: secretKey, url, svg };
  })
    .get(operation('user/two-factor-authentication'), async (req, res) => {
      const { enabled, confirmedAt, recoveryCodesLeft, required } = await twoFactor.state(callerOf(req));
      const confirmed_at = confirmedAt && presentTime(confirmedAt);
      res.json({ enabled, confirmed_at, recovery_codes_left: recoveryCodesLeft, required });
    })
    .all(onlyMethod('GET, HEAD, POST'));

  act('/user/confirmed-two-factor-authentication', ConfirmTwoFactorInput, async (input, caller) => {
    const { recoveryCodes, token } = await twoFactor.confirm(input, caller);
    return { recovery_codes: recoveryCodes, token };
  }).all(onlyMethod('POST'));

  act(
    '/user/two-factor-authentication/disable',
    DisableTwoFactorInput,
    async (input, caller) => {
      await twoFactor.disable(input, caller);
      return { status: 'two-factor-authentication-disabled' };
    },
    'disableTwoFactor',
  ).all(onlyMethod('POST'));

  act(
    '/user/two-factor-recovery-codes',
    RenewRecoveryCodesInput,
    async (input, caller) => ({ recovery_codes: await twoFactor.renewRecoveryCodes(input, caller) }),
    'renewRecoveryCodes',
  ).all(onlyMethod('POST'));

  act(
    '/user/confirm-two-factor',
    StepUpInput,
    async (input, caller) => presentAuthenticated(await twoFactor.stepUp(input, caller), idFormat),
    'stepUp',
  ).all(onlyMethod('POST'));

  return router;
}
