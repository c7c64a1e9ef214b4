import { type RequestHandler, type Response, Router } from 'express';
import type { Admission, AuthService } from '../auth/auth-service.ts';
import type { DocumentUrls } from '../documents/document-urls.ts';
import { jsonErrorHandler, onlyMethod } from '../http/json-errors.ts';
import { callerOf } from '../http/requests/request-context.ts';
import { operation } from '../http/requests/request-record.ts';
import { readMultipartForm } from '../http/uploads/multipart-form.ts';
import { type UploadParts, Uploads } from '../http/uploads/uploads.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { LoginInput } from '../inputs/login.input.ts';
import { RegisterDoctorInput } from '../inputs/register-doctor.input.ts';
import { RegisterPatientInput } from '../inputs/register-patient.input.ts';
import { toSnakeCase } from './field-names.ts';
import { presentAuthenticated, presentDoctor } from './presenters.ts';

interface RestParts extends UploadParts {
  auth: AuthService;
  validator: InputValidator;
  jsonBody: RequestHandler;
  /** Refuses forms of other sites. */
  formGuard: RequestHandler;
  urls: DocumentUrls;
}

/** The endpoints (docs/contract.md, "The service"), relative to `/api/v1/auth`. */
export function authRoutes(parts: RestParts): Router {
  const { auth, validator, jsonBody, formGuard, urls, log } = parts;
  const router = Router({ caseSensitive: true, strict: false });

  router.post(
    '/register/doctor',
    operation('register/doctor'),
    formGuard,
    doctorBody(parts),
    jsonBody,
    async (req, res: Response<unknown, Admitted>) => {
      const input = await validator.read(RegisterDoctorInput, req.body, toSnakeCase);
      const { admission } = res.locals;
      const registered = await auth.registerDoctor(input.toRegistration(), callerOf(req), admission);
      res.status(201).json(presentDoctor(registered, urls));
    },
  );

  router.post('/register/patient', operation('register/patient'), formGuard, jsonBody, async (req, res) => {
    const input = await validator.read(RegisterPatientInput, req.body, toSnakeCase);
    res
      .status(201)
      .json(presentAuthenticated(await auth.registerPatient(input.toRegistration(), callerOf(req))));
  });

  router.post('/login', operation('login'), formGuard, jsonBody, async (req, res) => {
    const input = await validator.read(LoginInput, req.body, toSnakeCase);
    res.json(presentAuthenticated(await auth.login(input, callerOf(req))));
  });

  router.post('/logout', operation('logout'), async (req, res) => {
    await auth.logout(callerOf(req));
    res.json({ message: 'Logged out' });
  });

  router.all(['/register/doctor', '/register/patient', '/login', '/logout'], onlyMethod('POST'));
  router.use(jsonErrorHandler(log, toSnakeCase));
  return router;
}

interface Admitted {
  admission: Admission;
}

/**
 * Counts a doctor's registration, then reads its form. Other bodies are left to the next reader. A refusal comes before any
 * of the body is read.
 */
function doctorBody(parts: RestParts): RequestHandler {
  return async (req, res, next) => {
    const uploads = req.is('multipart/form-data') ? new Uploads(parts, req, res) : undefined;
    const admitted: Admitted = { admission: await parts.auth.admitRegistration(callerOf(req)) };
    Object.assign(res.locals, admitted);
    if (uploads) req.body = await readMultipartForm(req, uploads, parts.uploadLimits);
    next();
  };
}
