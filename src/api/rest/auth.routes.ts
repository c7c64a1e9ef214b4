import { type RequestHandler, Router } from 'express';
import type { Corrections } from '../../auth/corrections.ts';
import type { Admission } from '../../auth/doctor-documents.ts';
import type { Emails } from '../../auth/emails/emails.ts';
import type { Login } from '../../auth/login.ts';
import type { Passwords } from '../../auth/passwords/passwords.ts';
import type { Registration } from '../../auth/registration.ts';
import type { OwnTokens } from '../../auth/tokens/own-tokens.ts';
import type { Sessions } from '../../auth/tokens/sessions.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { InvalidResetTokenError, ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { readMultipartForm } from '../http/bodies/form-body.ts';
import { JSON_TYPE, MULTIPART_TYPE, onlyTypes, URLENCODED_TYPE } from '../http/bodies/media-types.ts';
import { type UploadParts, Uploads } from '../http/bodies/uploads.ts';
import { jsonErrorHandler, onlyMethod } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation } from '../http/request-record.ts';
import { ChangePasswordInput } from '../inputs/change-password.input.ts';
import { ChangeEmailInput, VerifyEmailInput } from '../inputs/email.input.ts';
import { LoginInput } from '../inputs/login.input.ts';
import { OPERATIONS } from '../inputs/operations.ts';
import { RequestPasswordResetInput, ResetPasswordInput } from '../inputs/password-reset.input.ts';
import { RegisterDoctorInput, RegisterPatientInput } from '../inputs/registration.input.ts';
import { RequestEmailVerificationInput } from '../inputs/two-factor.input.ts';
import { UpdateMyProfileInput } from '../inputs/update-my-profile.input.ts';
import { type EndpointParts, Endpoints } from './endpoints.ts';
import { type PasskeyRestParts, passkeyEndpoints } from './passkey.routes.ts';
import { presentAccount, presentAuthenticated, presentDoctor, restName } from './presenters.ts';
import { type TwoFactorRestParts, twoFactorEndpoints } from './two-factor.routes.ts';

interface RestParts extends UploadParts, Omit<EndpointParts, 'fields'>, PasskeyRestParts, TwoFactorRestParts {
  registration: Registration;
  login: Login;
  ownTokens: OwnTokens;
  corrections: Corrections;
  passwords: Passwords;
  emails: Emails;
  jsonBody: RequestHandler;
  formBody: RequestHandler;
  /** Rejects forms of other sites. */
  formGuard: RequestHandler;
  urls: DocumentUrls;
  idFormat: IdFormat;
}

/**
 * The endpoints of the REST contract (docs/contract.md), relative to `/api/v1/auth`. docs/architecture.md says how to add one.
 */
export function authRoutes(parts: RestParts): Router {
  const { registration, login, ownTokens, corrections, passwords, emails } = parts;
  const { sessions, enrolmentAccess, validator, jsonBody, formBody, formGuard, urls, idFormat, log } = parts;
  const doctorTypes = onlyTypes([MULTIPART_TYPE], [JSON_TYPE]);
  const fields = [formGuard, onlyTypes([JSON_TYPE, URLENCODED_TYPE, MULTIPART_TYPE]), jsonBody, formBody];
  const endpoints = new Endpoints({ ...parts, fields });

  const doctorHandlers = [formGuard, doctorTypes, doctorBody(parts), jsonBody];
  endpoints.handle('registerDoctor', ...doctorHandlers, async (req, res) => {
    const input = await validator.read(RegisterDoctorInput, req.body, restName);
    const { admission } = res.locals as Admitted;
    const registered = await registration.doctor(input.toRegistration(), callerOf(req), admission);
    res.status(OPERATIONS.registerDoctor.status).json(presentDoctor(registered, urls, idFormat));
  });

  endpoints.take('registerPatient', RegisterPatientInput, async (input, caller) =>
    presentAuthenticated(await registration.patient(input.toRegistration(), caller), idFormat),
  );

  endpoints.handle('login', ...fields, async (req, res) => {
    const input = await validator.read(LoginInput, withTextPassword(req.body), restName);
    res.json(presentAuthenticated(await login.run(input, callerOf(req)), idFormat));
  });

  endpoints.handle('logout', async (req, res) => {
    const caller = callerOf(req);
    await ownTokens.logout(await sessions.authorizeLast(OPERATIONS.logout, caller), caller);
    res.json({ message: 'Logged out' });
  });

  // Changed and forgotten passwords: the texts are those of Laravel's starter kits.
  endpoints.take('changePassword', ChangePasswordInput, async (input, caller, session) => {
    await passwords.change(input.toRequest(), session, caller);
    return { status: 'password-updated' };
  });

  // The path and the input of Laravel's Fortify.
  endpoints.take('updateMyProfile', UpdateMyProfileInput, async (input, caller, session) => {
    const { account } = await corrections.updateMyProfile(input.toCorrection(), session, caller);
    return presentAccount(account, idFormat);
  });

  endpoints.take('requestPasswordReset', RequestPasswordResetInput, async ({ email }, caller) => {
    await passwords.requestReset(email, caller);
    return { status: 'We have emailed your password reset link.' };
  });

  endpoints.take('resetPassword', ResetPasswordInput, async (input, caller) => {
    await passwords.reset(input.toReset(), caller).catch(asLaravel);
    return { status: 'Your password has been reset.' };
  });

  // Fortify's paths, below the prefix that a cut-over sends here.
  endpoints.handle('requestEmailVerification', ...fields, async (req, res) => {
    const { challenge } = await validator.read(RequestEmailVerificationInput, req.body, restName);
    const caller = callerOf(req);
    const { requestEmailVerification } = OPERATIONS;
    const admitted = await enrolmentAccess.authorize(requestEmailVerification, challenge, caller);
    if (await emails.requestVerification(admitted, caller)) {
      res.json({ status: 'verification-link-sent' });
    } else {
      res.status(204).end();
    }
  });

  endpoints.take('verifyEmail', VerifyEmailInput, async ({ token }, caller) => {
    await emails.verify(token, caller);
    return { status: 'email-verified' };
  });

  endpoints.take('changeEmail', ChangeEmailInput, async (input, caller, session) => {
    await emails.requestChange(input, session, caller);
    return { status: 'verification-link-sent' };
  });

  twoFactorEndpoints(endpoints, parts);
  passkeyEndpoints(endpoints, parts);
  return endpoints.router().use(jsonErrorHandler(log, restName));
}

interface Admitted {
  admission: Admission;
}

/**
 * Counts a doctor's registration, then reads its form. The next handler reads other bodies. A registration over the limit is
 * rejected before any of the body is read.
 */
function doctorBody(parts: RestParts): RequestHandler {
  return async (req, res, next) => {
    const uploads = req.is(MULTIPART_TYPE) ? new Uploads(parts, req, res) : undefined;
    const admitted: Admitted = { admission: await parts.registration.admit(callerOf(req)) };
    Object.assign(res.locals, admitted);
    if (uploads) {
      req.body = await readMultipartForm(req, uploads, parts.uploadLimits);
    }
    next();
  };
}

/**
 * Compares a number as its text, as the legacy service did: `{"password":12345678}` is the password `12345678`, right or
 * wrong. Only the REST login does so. A new password must be a text, and so must every password in GraphQL.
 * @param body of a login
 */
function withTextPassword(body: unknown): unknown {
  const { password }: { password?: unknown } = Object(body);
  return typeof password === 'number' ? { ...Object(body), password: String(password) } : body;
}

/** Laravel reports an invalid reset token on the e-mail. */
function asLaravel(error: unknown): never {
  throw error instanceof InvalidResetTokenError
    ? new ValidationError({ email: error.fields.token ?? [] })
    : error;
}

interface UserParts {
  sessions: Sessions;
  idFormat: IdFormat;
  log: Logger;
}

/** The caller's account record at `/api/v1/user`, as the legacy application has it (docs/contract.md). */
export function userRoutes({ sessions, idFormat, log }: UserParts): Router {
  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/')
    .all(onlyMethod('GET, HEAD'))
    .get(operation('user'), async (req, res) => {
      const { account } = await sessions.authorize(OPERATIONS.user, callerOf(req));
      res.json(presentAccount(account, idFormat));
    });
  router.use(jsonErrorHandler(log));
  return router;
}
