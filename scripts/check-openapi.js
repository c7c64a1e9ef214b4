import { readFileSync } from 'node:fs';
import { exit, stderr } from 'node:process';
import { getMetadataStorage } from 'class-validator';
import { parse } from 'yaml';
import * as errors from '../dist/errors/errors.js';
import { LoginInput } from '../dist/inputs/login.input.js';
import { RegisterDoctorInput } from '../dist/inputs/register-doctor.input.js';
import { RegisterPatientInput } from '../dist/inputs/register-patient.input.js';
import { authRoutes } from '../dist/rest/auth.routes.js';
import { toSnakeCase } from '../dist/rest/field-names.js';

/*
 * Says whether schema/openapi.yaml, which is written by hand, still fits the routes, the input classes and the errors.
 *   node scripts/check-openapi.js
 */
const FILE = 'schema/openapi.yaml';
const PREFIX = '/api/v1/auth';

const { paths, components } = parse(readFileSync(FILE, 'utf8'));

const INPUTS = {
  DoctorRegistration: RegisterDoctorInput,
  PatientRegistration: RegisterPatientInput,
  Credentials: LoginInput,
};

const MESSAGES = {
  InvalidCredentials: new errors.InvalidCredentialsError(),
  Unauthenticated: new errors.UnauthenticatedError(),
  InvalidSignature: new errors.InvalidSignatureError(),
  CrossSiteForm: new errors.CrossSiteFormError(),
  PayloadTooLarge: new errors.PayloadTooLargeError(),
  RequestTimeout: new errors.RequestTimeoutError(''),
  TooManyAttempts: new errors.TooManyAttemptsError(1, 1),
  ServiceUnavailable: new errors.ServiceUnavailableError(''),
  ServerError: new errors.UnexpectedError(undefined),
};

/** Every `METHOD path` that the router has. */
function routes() {
  // Nothing is called, so there is no service to give it; a route is not made without a handler, though.
  const handler = (_req, _res, next) => next();
  const { stack } = authRoutes({ jsonBody: handler, formGuard: handler });
  return stack.flatMap(({ route }) => {
    // `all`, which refuses the other methods, has none of its own.
    const methods = new Set(route?.stack.map(({ method }) => method).filter(Boolean));
    return [...methods].map((method) => `${method} ${PREFIX}${route?.path}`);
  });
}

const documentedRoutes = () =>
  Object.entries(paths)
    .filter(([path]) => path.startsWith(PREFIX))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));

/** The fields of an input class as a request spells them: `name (required, up to 255)`. */
function fields(type) {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map((rule) => rule.propertyName))].map((property) => {
    const own = rules.filter((rule) => rule.propertyName === property);
    const maxLength = own.find((rule) => rule.name === 'maxLength')?.constraints[0];
    return described(
      toSnakeCase(property),
      own.some((rule) => rule.name === 'isDefined'),
      maxLength,
    );
  });
}

const documentedFields = ({ required = [], properties }) =>
  Object.entries(properties).map(([name, { maxLength }]) =>
    described(name, required.includes(name), maxLength),
  );

const described = (name, isRequired, maxLength) =>
  `${name} (${isRequired ? 'required' : 'optional'}, up to ${maxLength ?? 'any length'})`;

/** What only one of two lists has. */
function differences(where, actual, documented) {
  const missing = actual.filter((item) => !documented.includes(item));
  const excess = documented.filter((item) => !actual.includes(item));
  return [
    ...missing.map((item) => `${where}: "${item}" is not in the document`),
    ...excess.map((item) => `${where}: "${item}" is only in the document`),
  ];
}

const schemaOf = (name) => components.schemas[name] ?? { properties: {} };

const problems = [
  ...differences('routes', routes(), documentedRoutes()),
  ...Object.entries(INPUTS).flatMap(([name, type]) =>
    differences(name, fields(type), documentedFields(schemaOf(name))),
  ),
  ...Object.entries(MESSAGES).flatMap(([name, { message }]) =>
    differences(name, [message], [schemaOf(name).properties.message?.const ?? '']),
  ),
];

if (problems.length > 0) {
  stderr.write(`${FILE} has drifted from the code:\n${problems.map((line) => `  ${line}\n`).join('')}`);
  exit(1);
}
