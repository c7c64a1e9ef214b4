import { type RequestHandler, Router } from 'express';
import type { AuthService } from '../auth/auth-service.ts';
import type { DocumentUrls } from '../documents/document-urls.ts';
import { jsonErrorHandler, onlyMethod } from '../http/json-errors.ts';
import { readMultipartForm } from '../http/multipart-form.ts';
import { callerOf } from '../http/request-context.ts';
import { operation } from '../http/request-record.ts';
import { type UploadLimits, type UploadParts, Uploads } from '../http/uploads.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { LoginInput } from '../inputs/login.input.ts';
import { RegisterDoctorInput } from '../inputs/register-doctor.input.ts';
import { RegisterPatientInput } from '../inputs/register-patient.input.ts';
import { toSnakeCase } from './field-names.ts';
import { presentAuthenticated, presentDoctor } from './presenters.ts';

interface RestParts extends UploadParts {
  auth: AuthService;
  validator: InputValidator;
  uploadLimits: UploadLimits;
  jsonBody: RequestHandler;
  /** Refuses forms of other sites. */
  ownForms: RequestHandler;
  urls: DocumentUrls;
}

/** The endpoints of contract section 4, relative to `/api/v1/auth`. */
export function authRoutes(parts: RestParts): Router {
  const { auth, validator, jsonBody, ownForms, urls, log } = parts;
  const router = Router({ caseSensitive: true, strict: false });

  router.post(
    '/register/doctor',
    operation('register/doctor'),
    ownForms,
    multipartBody(parts),
    jsonBody,
    async (req, res) => {
      const input = await validator.read(RegisterDoctorInput, req.body, toSnakeCase);
      res
        .status(201)
        .json(presentDoctor(await auth.registerDoctor(input.toRegistration(), callerOf(req)), urls));
    },
  );

  router.post('/register/patient', operation('register/patient'), ownForms, jsonBody, async (req, res) => {
    const input = await validator.read(RegisterPatientInput, req.body, toSnakeCase);
    res
      .status(201)
      .json(presentAuthenticated(await auth.registerPatient(input.toRegistration(), callerOf(req))));
  });

  router.post('/login', operation('login'), ownForms, jsonBody, async (req, res) => {
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

/** Reads the form of a doctor's registration; other bodies are left to the next reader. */
function multipartBody(parts: RestParts): RequestHandler {
  return async (req, res, next) => {
    if (!req.is('multipart/form-data')) return next();
    const uploads = new Uploads(parts, res);
    req.body = await readMultipartForm(req, uploads, parts.uploadLimits);
    next();
  };
}
