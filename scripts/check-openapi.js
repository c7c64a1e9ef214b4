import { readdirSync, readFileSync } from 'node:fs';
import { exit, stderr } from 'node:process';
import { getMetadataStorage } from 'class-validator';
import { parse } from 'yaml';
import { authRoutes } from '../dist/api/rest/auth.routes.js';
import { restName } from '../dist/api/rest/presenters.js';
import { userRoutes } from '../dist/api/rest/user.routes.js';
import { forwardAuthRoutes } from '../dist/api/services/forward-auth.routes.js';
import { introspectionRoutes } from '../dist/api/services/introspection.routes.js';
import * as errors from '../dist/system/errors.js';

/*
 * Checks that schema/openapi.yaml, which is written by hand, fits the routes, the input classes and the errors.
 *   node scripts/check-openapi.js
 */
const FILE = 'schema/openapi.yaml';
const PREFIX = '/api/v1/auth';

const { paths, components } = parse(readFileSync(FILE, 'utf8'));

const INPUTS = 'dist/api/inputs';

/** Every `method path` of the routers. */
function routes() {
  // No route is called, so the routers need no service. A route needs a handler.
  const handler = (_req, _res, next) => next();
  return [
    ...routesOf(authRoutes({ jsonBody: handler, formBody: handler, formGuard: handler }), PREFIX),
    ...routesOf(userRoutes({}), '/api/v1/user'),
    ...routesOf(introspectionRoutes({}), ''),
    ...routesOf(forwardAuthRoutes({}), ''),
  ];
}

function routesOf({ stack }, prefix) {
  return stack.flatMap(({ route }) => {
    // The handler of `all`, which rejects the other methods, has no method.
    const methods = new Set(route?.stack.map(({ method }) => method).filter(Boolean));
    return [...methods].map((method) => `${method} ${prefix}${route.path}`.replace(/\/$/, ''));
  });
}

const documentedOperations = Object.entries(paths)
  .filter(([path]) => !path.startsWith('/storage/'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ route: `${method} ${path}`, ...operation })),
  );

/** Other operations have no input classes. */
const isOfContract = ({ route }) => route.includes(PREFIX);

/** The input classes by name. */
async function inputClasses() {
  const files = readdirSync(INPUTS).filter((file) => file.endsWith('.input.js'));
  return Object.assign({}, ...(await Promise.all(files.map((file) => import(`../${INPUTS}/${file}`)))));
}

/** The schema of each documented body, with the name of the class that reads it: RegisterDoctorInput for `registerDoctor`. */
const documentedBodies = () =>
  documentedOperations.filter(isOfContract).flatMap(({ operationId, requestBody }) => {
    const className = `${operationId[0].toUpperCase()}${operationId.slice(1)}Input`;
    const references = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema.$ref);
    return [...new Set(references)].map((reference) => [
      className,
      components.schemas[reference.split('/').at(-1)],
    ]);
  });

/** The text of each error class that has a fixed one. */
const messages = () =>
  Object.values(errors)
    .filter((ErrorClass) => !(new ErrorClass('', 1) instanceof errors.ValidationError))
    .map((ErrorClass) => new ErrorClass('', 1).message)
    .filter((message) => message !== '');

const documentedMessages = () =>
  Object.values(components.schemas).flatMap(
    ({ properties }) =>
      properties?.message?.const ?? properties?.message?.enum ?? properties?.error_description?.const ?? [],
  );

/** The fields of an input class in the spelling of a request: `name (required, up to 255)`. */
function fields(type) {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map((rule) => rule.propertyName))].map((property) => {
    const own = rules.filter((rule) => rule.propertyName === property);
    const maxLength = own.find((rule) => rule.name === 'maxLength')?.constraints[0];
    return described(
      restName(property),
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

/** The items that are in only one of two lists. */
function differences(where, actual, documented) {
  const missing = actual.filter((item) => !documented.includes(item));
  const excess = documented.filter((item) => !actual.includes(item));
  return [
    ...missing.map((item) => `${where}: "${item}" is not in the document`),
    ...excess.map((item) => `${where}: "${item}" is only in the document`),
  ];
}

const inputs = await inputClasses();

const problems = [
  ...differences(
    'routes',
    routes(),
    documentedOperations.map(({ route }) => route),
  ),
  ...documentedBodies().flatMap(([name, schema]) =>
    name in inputs
      ? differences(name, fields(inputs[name]), documentedFields(schema))
      : [`${INPUTS} has no class "${name}"`],
  ),
  // The document has more messages, such as those of answers.
  ...messages()
    .filter((message) => !documentedMessages().includes(message))
    .map((message) => `errors: "${message}" is not in the document`),
];

if (problems.length > 0) {
  stderr.write(`${FILE} has drifted from the code:\n${problems.map((line) => `  ${line}\n`).join('')}`);
  exit(1);
}
