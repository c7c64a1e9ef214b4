import { type RequestHandler, Router } from 'express';
import type { AuthService } from '../../auth/auth-service.ts';
import type { PasswordService } from '../../auth/passwords/password-service.ts';
import { InvalidResetTokenError, ValidationError } from '../../system/errors/errors.ts';
import type { Logger } from '../../system/log.ts';
import { onlyTypes } from '../http/bodies/accepted-types.ts';
import { MULTIPART_TYPE, URLENCODED_TYPE } from '../http/bodies/form-body.ts';
import { JSON_TYPE } from '../http/bodies/json-body.ts';
import { jsonErrorHandler, onlyMethod } from '../http/json-errors.ts';
import { callerOf } from '../http/requests/request-context.ts';
import { operation } from '../http/requests/request-record.ts';
import { ChangePasswordInput } from '../inputs/change-password.input.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { RequestPasswordResetInput } from '../inputs/request-password-reset.input.ts';
import { ResetPasswordInput } from '../inputs/reset-password.input.ts';
import { restName } from './field-names.ts';

interface PasswordParts {
  auth: AuthService;
  passwords: PasswordService;
  validator: InputValidator;
  jsonBody: RequestHandler;
  formBody: RequestHandler;
  /** Rejects forms of other sites. */
  formGuard: RequestHandler;
  log: Logger;
}

/**
 * Changed and forgotten passwords (docs/contract.md, "Changed and forgotten passwords"), relative to `/api/v1/auth`. The texts
 * are those of Laravel's starter kits.
 */
export function passwordRoutes(parts: PasswordParts): Router {
  const { auth, passwords, validator, jsonBody, formBody, formGuard, log } = parts;
  const fields = [formGuard, onlyTypes([JSON_TYPE, URLENCODED_TYPE, MULTIPART_TYPE]), jsonBody, formBody];
  const router = Router({ caseSensitive: true, strict: false });

  /** As in Laravel, a caller whose token is not valid, or may not do this, hears only that, whatever the body is. */
  const onlyAuthorized: RequestHandler = async (req, _res, next) => {
    await auth.authorize('changePassword', callerOf(req));
    next();
  };

  router
    .route('/password')
    .put(operation('password'), onlyAuthorized, ...fields, async (req, res) => {
      const input = await validator.read(ChangePasswordInput, req.body, restName);
      await passwords.change(input.toRequest(), callerOf(req));
      res.json({ status: 'password-updated' });
    })
    .all(onlyMethod('PUT'));

  router
    .route('/forgot-password')
    .post(operation('forgot-password'), ...fields, async (req, res) => {
      const { email } = await validator.read(RequestPasswordResetInput, req.body, restName);
      await passwords.requestReset(email, callerOf(req));
      res.json({ status: 'We have emailed your password reset link.' });
    })
    .all(onlyMethod('POST'));

  router
    .route('/reset-password')
    .post(operation('reset-password'), ...fields, async (req, res) => {
      const input = await validator.read(ResetPasswordInput, req.body, restName);
      await passwords.reset(input.toReset(), callerOf(req)).catch(asLaravel);
      res.json({ status: 'Your password has been reset.' });
    })
    .all(onlyMethod('POST'));

  router.use(jsonErrorHandler(log, restName));
  return router;
}

/** Laravel reports an invalid reset token on the e-mail. */
function asLaravel(error: unknown): never {
  throw error instanceof InvalidResetTokenError ? new ValidationError({ email: [error.message] }) : error;
}
