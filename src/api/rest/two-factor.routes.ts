import type { Login } from '../../auth/login.ts';
import type { TwoFactor } from '../../auth/two-factor/two-factor.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { presentTime } from '../http/error-responses.ts';
import {
  CompleteLoginInput,
  ConfirmTwoFactorInput,
  DisableTwoFactorInput,
  EnableTwoFactorInput,
  RenewRecoveryCodesInput,
  StepUpInput,
} from '../inputs/two-factor.input.ts';
import type { Endpoints } from './endpoints.ts';
import { presentAuthenticated } from './presenters.ts';

export interface TwoFactorRestParts {
  login: Login;
  twoFactor: TwoFactor;
  idFormat: IdFormat;
}

/** The endpoints of the second factor, with Fortify's names (docs/contract.md, "A second factor"). */
export function twoFactorEndpoints(
  endpoints: Endpoints,
  { login, twoFactor, idFormat }: TwoFactorRestParts,
): void {
  endpoints.take('completeLogin', CompleteLoginInput, async (input, caller) =>
    presentAuthenticated(await login.complete(input, caller), idFormat),
  );

  endpoints.read('myTwoFactor', async (caller, session) => {
    const { enabled, confirmedAt, recoveryCodesLeft, required } = await twoFactor.state(session, caller);
    const confirmed_at = confirmedAt && presentTime(confirmedAt);
    return { enabled, confirmed_at, recovery_codes_left: recoveryCodesLeft, required };
  });

  endpoints.take('enableTwoFactor', EnableTwoFactorInput, async (input, caller, admitted) => {
    const { secretKey, url, svg } = await twoFactor.enable(input, admitted, caller);
    return { secret_key: secretKey, url, svg };
  });

  endpoints.take('confirmTwoFactor', ConfirmTwoFactorInput, async ({ code }, caller, admitted) => {
    const { recoveryCodes, token } = await twoFactor.confirm(code, admitted, caller);
    return { recovery_codes: recoveryCodes, token };
  });

  endpoints.take('disableTwoFactor', DisableTwoFactorInput, async (input, caller, session) => {
    await twoFactor.disable(input, session, caller);
    return { status: 'two-factor-authentication-disabled' };
  });

  endpoints.take('renewRecoveryCodes', RenewRecoveryCodesInput, async (input, caller, session) => ({
    recovery_codes: await twoFactor.renewRecoveryCodes(input, session, caller),
  }));

  endpoints.take('stepUp', StepUpInput, async (input, caller, session) =>
    presentAuthenticated(await twoFactor.stepUp(input, session, caller), idFormat),
  );
}
