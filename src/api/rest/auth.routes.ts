import { type RequestHandler, Router } from 'express';
import type { AuthService } from '../../auth/auth-service.ts';
import type { Admission } from '../../auth/doctor-documents.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { IdFormat } from '../../stores/ids.ts';
import { onlyTypes } from '../http/bodies/accepted-types.ts';
import { MULTIPART_TYPE, URLENCODED_TYPE } from '../http/bodies/form-body.ts';
import { JSON_TYPE } from '../http/bodies/json-body.ts';
import { jsonErrorHandler, onlyMethod } from '../http/json-errors.ts';
import { callerOf } from '../http/requests/request-context.ts';
import { operation } from '../http/requests/request-record.ts';
import { readMultipartForm } from '../http/uploads/multipart-form.ts';
import { type UploadParts, Uploads } from '../http/uploads/uploads.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { LoginInput } from '../inputs/login.input.ts';
import { RegisterDoctorInput } from '../inputs/register-doctor.input.ts';
import { RegisterPatientInput } from '../inputs/register-patient.input.ts';
import { restName } from './field-names.ts';
import { withTextPassword } from './login-fields.ts';
import { presentAuthenticated, presentDoctor } from './presenters.ts';

interface RestParts extends UploadParts {
  auth: AuthService;
  validator: InputValidator;
  jsonBody: RequestHandler;
  formBody: RequestHandler;
  /** Rejects forms of other sites. */
  formGuard: RequestHandler;
  urls: DocumentUrls;
  idFormat: IdFormat;
}

/** The endpoints of the REST contract (docs/contract.md), relative to `/api/v1/auth`. */
export function authRoutes(parts: RestParts): Router {
  const { auth, validator, jsonBody, formBody, formGuard, urls, idFormat, log } = parts;
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
