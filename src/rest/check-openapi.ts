import { readFileSync } from 'node:fs';
import { exit, stderr } from 'node:process';
import { getMetadataStorage } from 'class-validator';
import type { RequestHandler } from 'express';
import { parse } from 'yaml';
import * as errors from '../errors.ts';
import { LoginInput } from '../inputs/login.input.ts';
import { RegisterDoctorInput } from '../inputs/register-doctor.input.ts';
import { RegisterPatientInput } from '../inputs/register-patient.input.ts';
import { authRoutes } from './auth.routes.ts';
import { toSnakeCase } from './field-names.ts';

/*
 * Says whether schema/openapi.yaml, which is written by hand, still fits the routes, the input classes and the errors.
 * It stands here because nothing else knows the routes; like graphql/emit-schema.ts it is run by developers only.
 *   node dist/rest/check-openapi.js
 */
const FILE = 'schema/openapi.yaml';
const PREFIX = '/api/v1/auth';

interface Schema {
  required?: string[];
  properties: Record<string, { maxLength?: number; const?: string }>;
}
interface Contract {
  paths: Record<string, object>;
  components: { schemas: Record<string, Schema> };
}

const { paths, components } = parse(readFileSync(FILE, 'utf8')) as Contract;

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
function routes(): string[] {
  // Nothing is called, so there is no service to give it; a route is not made without a handler, though.
  const handler: RequestHandler = (_req, _res, next) => next();
  const { stack } = authRoutes({ jsonBody: handler, formGuard: handler } as Parameters<typeof authRoutes>[0]);
  return stack.flatMap(({ route }) => {
    // `all`, which refuses the other methods, has none of its own.
    const methods = new Set(route?.stack.map(({ method }) => method).filter(Boolean));
    return [...methods].map((method) => `${method} ${PREFIX}${route?.path}`);
  });
}

const documentedRoutes = (): string[] =>
  Object.entries(paths)
    .filter(([path]) => path.startsWith(PREFIX))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));

/** The fields of an input class as a request spells them: `name (required, up to 255)`. */
function fields(type: object['constructor']): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map((rule) => rule.propertyName))].map((property) => {
    const own = rules.filter((rule) => rule.propertyName === property);
    const maxLength: unknown = own.find((rule) => rule.name === 'maxLength')?.constraints[0];
    return described(
      toSnakeCase(property),
      own.some((rule) => rule.name === 'isDefined'),
      maxLength,
    );
  });
}

const documentedFields = ({ required = [], properties }: Schema): string[] =>
  Object.entries(properties).map(([name, { maxLength }]) =>
    described(name, required.includes(name), maxLength),
  );

const described = (name: string, isRequired: boolean, maxLength: unknown): string =>
  `${name} (${isRequired ? 'required' : 'optional'}, up to ${maxLength ?? 'any length'})`;

/** What only one of two lists has. */
function differences(where: string, actual: string[], documented: string[]): string[] {
  const missing = actual.filter((item) => !documented.includes(item));
  const excess = documented.filter((item) => !actual.includes(item));
  return [
    ...missing.map((item) => `${where}: "${item}" is not in the document`),
    ...excess.map((item) => `${where}: "${item}" is only in the document`),
  ];
}

const schemaOf = (name: string): Schema => components.schemas[name] ?? { properties: {} };

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
