import { type RequestHandler, Router } from 'express';
import type { Caller } from '../../auth/caller.ts';
import type { Corrections } from '../../auth/corrections.ts';
import type { Admission } from '../../auth/doctor-documents.ts';
import type { Emails } from '../../auth/emails/emails.ts';
import type { OwnPasskeys } from '../../auth/passkeys/own-passkeys.ts';
import type { PasskeyLogin } from '../../auth/passkeys/passkey-login.ts';
import type { TwoFactor } from '../../auth/two-factor/two-factor.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { InvalidResetTokenError, ValidationError } from '../../system/errors.ts';
import { readMultipartForm } from '../http/bodies/form-body.ts';
import { JSON_TYPE, MULTIPART_TYPE, onlyTypes, URLENCODED_TYPE } from '../http/bodies/media-types.ts';
import { type UploadParts, Uploads } from '../http/bodies/uploads.ts';
import { jsonErrorHandler, onlyMethod } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation } from '../http/request-record.ts';
import { ChangePasswordInput } from '../inputs/change-password.input.ts';
import { ChangeEmailInput, VerifyEmailInput } from '../inputs/email.input.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { LoginInput } from '../inputs/login.input.ts';
import { type MutationServices, permit } from '../inputs/message-mutation.ts';
import { messageMutations } from '../inputs/mutations.ts';
import { RegisterDoctorInput, RegisterPatientInput } from '../inputs/registration.input.ts';
import { RequestEmailVerificationInput } from '../inputs/two-factor.input.ts';
import { UpdateMyProfileInput } from '../inputs/update-my-profile.input.ts';
import { passkeyRoutes } from './passkey.routes.ts';
import { presentAccount, presentAuthenticated, presentDoctor, restName } from './presenters.ts';
import { twoFactorRoutes } from './two-factor.routes.ts';

interface RestParts extends UploadParts, MutationServices {
  corrections: Corrections;
  emails: Emails;
  twoFactor: TwoFactor;
  ownPasskeys: OwnPasskeys;
  passkeyLogin: PasskeyLogin;
  validator: InputValidator;
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
  const {
    auth,
    corrections,
    passwords,
    emails,
    twoFactor,
    ownPasskeys,
    passkeyLogin,
    validator,
    jsonBody,
    formBody,
    formGuard,
    urls,
    idFormat,
    log,
  } = parts;
  const doctorTypes = onlyTypes([MULTIPART_TYPE], [JSON_TYPE]);
  const fields = [formGuard, onlyTypes([JSON_TYPE, URLENCODED_TYPE, MULTIPART_TYPE]), jsonBody, formBody];
  const router = Router({ caseSensitive: true, strict: false });
  /** An endpoint for POST alone. The log and the metrics call it by its path. */
  const post = (path: string, ...handlers: RequestHandler[]) =>
    router
      .route(path)
      .post(operation(path.slice(1)), ...handlers)
      .all(onlyMethod('POST'));

  post('/register/doctor', formGuard, doctorTypes, doctorBody(parts), jsonBody, async (req, res) => {
    const input = await validator.read(RegisterDoctorInput, req.body, restName);
    const { admission } = res.locals as Admitted;
    const registered = await auth.registerDoctor(input.toRegistration(), callerOf(req), admission);
    res.status(201).json(presentDoctor(registered, urls, idFormat));
  });

  post('/register/patient', ...fields, async (req, res) => {
    const input = await validator.read(RegisterPatientInput, req.body, restName);
    const registered = await auth.registerPatient(input.toRegistration(), callerOf(req));
    res.status(201).json(presentAuthenticated(registered, idFormat));
  });

  post('/login', ...fields, async (req, res) => {
    const input = await validator.read(LoginInput, withTextPassword(req.body), restName);
    const authenticated = await auth.login(input, callerOf(req));
    res.json(presentAuthenticated(authenticated, idFormat));
  });

  post('/logout', async (req, res) => {
    await auth.logout(callerOf(req));
    res.json({ message: 'Logged out' });
  });

  // Changed and forgotten passwords: the texts are those of Laravel's starter kits.
  router
    .route('/password')
    .put(
      operation('password'),
      authorized((caller) => auth.authorize('changePassword', caller)),
      ...fields,
      async (req, res) => {
        const input = await validator.read(ChangePasswordInput, req.body, restName);
        await passwords.change(input.toRequest(), callerOf(req));
        res.json({ status: 'password-updated' });
      },
    )
    .all(onlyMethod('PUT'));

  // The path and the input of Laravel's Fortify.
  router
    .route('/user/profile-information')
    .put(
      operation('user/profile-information'),
      authorized((caller) => auth.authorize('updateMyProfile', caller)),
      ...fields,
      async (req, res) => {
        const input = await validator.read(UpdateMyProfileInput, req.body, restName);
        const { account } = await corrections.updateMyProfile(input.toCorrection(), callerOf(req));
        res.json(presentAccount(account, idFormat));
      },
    )
    .all(onlyMethod('PUT'));

  for (const mutation of messageMutations()) {
    const { path, type, message } = mutation;
    post(
      path,
      authorized((caller) => permit(mutation, parts, caller)),
      ...fields,
      async (req, res) => {
        const input = await validator.read(type, req.body, restName);
        // Once more: the session may have ended while the body was sent.
        const run = await permit(mutation, parts, callerOf(req));
        await run(input).catch(asLaravel);
        res.json({ status: message });
      },
    );
  }

  // Fortify's paths, below the prefix that a cut-over sends here.
  post('/email/verification-notification', ...fields, async (req, res) => {
    const { challenge } = await validator.read(RequestEmailVerificationInput, req.body, restName);
    if (await emails.requestVerification(callerOf(req), challenge)) {
      res.json({ status: 'verification-link-sent' });
    } else {
      res.status(204).end();
    }
  });

  post('/verify-email', ...fields, async (req, res) => {
    const { token } = await validator.read(VerifyEmailInput, req.body, restName);
    await emails.verify(token, callerOf(req));
    res.json({ status: 'email-verified' });
  });

  router
    .route('/user/email')
    .put(
      operation('user/email'),
      authorized((caller) => emails.authorizeChange(caller)),
      ...fields,
      async (req, res) => {
        const input = await validator.read(ChangeEmailInput, req.body, restName);
        await emails.requestChange(input, callerOf(req));
        res.status(202).json({ status: 'verification-link-sent' });
      },
    )
    .all(onlyMethod('PUT'));

  router.use(twoFactorRoutes({ auth, twoFactor, validator, fields, idFormat }));
  router.use(passkeyRoutes({ ownPasskeys, passkeyLogin, twoFactor, validator, fields, idFormat }));
  router.use(jsonErrorHandler(log, restName));
  return router;
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
    const admitted: Admitted = { admission: await parts.auth.admitRegistration(callerOf(req)) };
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

/** As in Laravel, a caller whose token is not valid, or may not do this, hears only that, whatever the body is. */
const authorized =
  (authorize: (caller: Caller) => Promise<unknown>): RequestHandler =>
  async (req, _res, next) => {
    await authorize(callerOf(req));
    next();
  };

/** Laravel reports an invalid reset token on the e-mail. */
function asLaravel(error: unknown): never {
  throw error instanceof InvalidResetTokenError
    ? new ValidationError({ email: error.fields.token ?? [] })
    : error;
}
