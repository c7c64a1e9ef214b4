import { readFileSync } from 'node:fs';
import { getMetadataStorage } from 'class-validator';
import { isMap, parseDocument, visit } from 'yaml';
import { fieldsOf } from '../../dist/api/inputs/input-validator.js';
import { OPERATIONS } from '../../dist/api/inputs/operations.js';
import { authRoutes, userRoutes } from '../../dist/api/rest/auth.routes.js';
import { PREFIX } from '../../dist/api/rest/endpoints.js';
import { restName } from '../../dist/api/rest/presenters.js';
import { eventRoutes } from '../../dist/api/services/event.routes.js';
import { forwardAuthRoutes } from '../../dist/api/services/forward-auth.routes.js';
import { introspectionRoutes } from '../../dist/api/services/introspection.routes.js';
import { argsClassOf, inputClassOf } from '../../dist/patches/type-graphql.js';
import { PROFILE_TEXTS } from '../../dist/stores/doctor-profile-record.js';
import * as errors from '../../dist/system/errors.js';
import { accountSchema, eventSchema } from './events.js';

/*
 * schema/openapi.yaml. People write its operations, answers and examples, and may describe a field or narrow its rules. The
 * fields of each body, which of them are required, how long they may be, and what its refusal may name come from its class.
 */
const FILE = 'schema/openapi.yaml';
const LAYOUT = { lineWidth: 0, flowCollectionPadding: false };

const document = parseDocument(readFileSync(FILE, 'utf8'));
const SCHEMAS = ['components', 'schemas'];
const reference = (name) => ({ $ref: `#/components/schemas/${name}` });
const nameIn = (node) => node?.$ref.split('/').at(-1);

/** The document, with the bodies, their refusals and the profile as the classes have them. */
export function openApiFile(schema) {
  for (const [name, row] of Object.entries(OPERATIONS).filter(([, { rest }]) => rest)) {
    addEndpoint(name, row, schema);
  }
  for (const { operationId, requestBody, responses } of operationsOfContract()) {
    const [body] = Object.values(requestBody?.content ?? {});
    if (body) {
      const name = `${operationId[0].toUpperCase()}${operationId.slice(1)}Input`;
      const type = inputClassOf(name) ?? argsClassOf(operationId);
      if (!type) {
        throw new Error(`the operation ${operationId} of ${FILE} has a body, but there is no class ${name}`);
      }
      const fields = fieldsIn(type, schema.getType(name));
      mergeFields(nameIn(body.schema), fields);
      const refusal = nameIn(responses['422'].content['application/json'].schema);
      const place = [...SCHEMAS, refusal, 'properties', 'errors', 'properties'];
      const named = fields.filter(({ rules }) => rules.length > 0).map(({ name }) => name);
      // The service may also refuse what the account has, such as its e-mail.
      const others = document.getIn(place).items.map(({ key }) => key.value);
      const names = [...new Set([...named, ...others])];
      setProperties(
        place,
        names.map((name) => [name, reference('FieldTexts')]),
      );
    }
  }
  mergeProfile();
  mergeEvent();
  completeExamples();
  return { [FILE]: document.toString(LAYOUT) };
}

/** An event is as schema/events.yaml says. */
function mergeEvent() {
  document.setIn([...SCHEMAS, 'Event'], document.createNode(eventSchema));
  document.setIn([...SCHEMAS, 'EventAccount'], document.createNode(accountSchema));
}

/** Enters an endpoint that the document does not have yet. From then on, its texts and examples are people's. */
function addEndpoint(name, { rest, needs, status = 200 }, schema) {
  const [method, path] = rest.split(' ');
  const place = ['paths', path, method.toLowerCase()];
  if (document.hasIn(place)) {
    return;
  }
  const title = name[0].toUpperCase() + name.slice(1);
  const [body, done, invalid] = [`${title}Request`, `${title}Done`, `Invalid${title}`];
  const change = document.toJS().paths[`${PREFIX}/password`].put;
  const { 401: unauthenticated, 403: forbidden, ...others } = change.responses;
  const answer = (description, schema, examples) => ({
    description,
    headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
    content: { 'application/json': { schema: reference(schema), examples } },
  });
  const { description } = schema.getMutationType().getFields()[name];
  const field = restName(fieldsOf(inputClassOf(`${title}Input`) ?? argsClassOf(name))[0]);
  const missing = `The ${field.replaceAll('_', ' ')} field is required.`;
  const refusal = { message: missing, errors: { [field]: [missing] } };
  const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const needsToken = needs !== 'no token';
  const lacks = needs === '*' ? '' : `, and lacks the ability \`${needs}\``;
  const foreign = 'a page of another site sent a form';
  const operation = {
    operationId: name,
    tags: ['account'],
    summary: description,
    description,
    security: needsToken ? [{ accessToken: [] }] : [],
    requestBody: {
      required: true,
      content: Object.fromEntries(types.map((type) => [type, { schema: reference(body) }])),
    },
    responses: {
      ...others,
      ...(needsToken && { 401: unauthenticated }),
      403: needsToken
        ? { ...forbidden, description: `The access token is restricted${lacks}; or ${foreign}.` }
        : { $ref: '#/components/responses/CrossSiteForm' },
      [status]: answer('It is done.', done, { done: { summary: 'Done', value: { status: 'done' } } }),
      422: answer('A field breaks a rule. Nothing has been stored.', invalid, {
        missing: { summary: 'A missing field', value: refusal },
      }),
    },
  };
  document.setIn(place, document.createNode(operation));
  const add = (schema, value) => document.setIn([...SCHEMAS, schema], document.createNode(value));
  const object = (description) => ({ type: 'object', description });
  add(body, { ...object(`What \`${name}\` takes.`), required: [], properties: {} });
  add(done, {
    ...object(`The answer of \`${name}\`.`),
    required: ['status'],
    additionalProperties: false,
    properties: { status: { type: 'string' } },
  });
  add(invalid, {
    ...object(`What is wrong with the fields of \`${name}\`.`),
    required: ['message', 'errors'],
    additionalProperties: false,
    properties: {
      message: reference('InvalidMessage'),
      errors: { type: 'object', minProperties: 1, additionalProperties: false, properties: {} },
    },
  });
}

/** The endpoint of an operation, such as `POST /api/v1/auth/login`, if it has one. */
export function endpointOf(operationId) {
  const found = operationsOfContract().find((operation) => operation.operationId === operationId);
  return found?.route.replace(/^\w+/, (method) => method.toUpperCase());
}

const operations = () =>
  Object.entries(document.toJS().paths)
    .filter(([path]) => !path.startsWith('/storage/'))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ route: `${method} ${path}`, ...operation })),
    );

/** Other operations have no input classes. */
const operationsOfContract = () => operations().filter(({ route }) => route.includes(PREFIX));

/** The kinds of rules that a value may break. The others say that a field is read, or when its rules apply. */
const CHECKS = ['customValidation', 'isDefined'];

/** The fields of an input class as a request spells them, each with its rules and how it is described. */
function fieldsIn(type, graphqlType) {
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const described = graphqlType?.getFields() ?? {};
  return fieldsOf(type).map((property) => {
    const rules = all.filter(({ propertyName, type }) => propertyName === property && CHECKS.includes(type));
    const find = (name) => rules.find((rule) => rule.name === name);
    // Such as a password beside a passkey.
    const isConditional = all.some(
      ({ propertyName, type }) => propertyName === property && type === 'conditionalValidation',
    );
    return {
      name: restName(property),
      rules,
      find,
      isRequired: find('isDefined') !== undefined && !isConditional,
      maxLength: find('maxLength')?.constraints[0],
      description: PROFILE_TEXTS[property] ? `${PROFILE_TEXTS[property].description}.` : undefined,
      firstDescription: described[property]?.description,
      isObject: String(described[property]?.type).startsWith('JSONObject'),
    };
  });
}

/** How a field is first documented. */
function firstSchema({ find, isRequired, isObject, firstDescription }) {
  const described = { description: firstDescription };
  if (isObject) {
    return { type: 'object', ...described };
  }
  if (find('file')) {
    return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', ...described };
  }
  if (find('flag')) {
    // REST takes more spellings, for forms. A client that is made of the document needs only this one.
    return { type: 'boolean', ...described };
  }
  const [minimum, maximum] = find('between')?.constraints ?? [];
  if (maximum !== undefined) {
    return { type: 'integer', minimum, maximum, ...described };
  }
  const format = find('email') ? { format: 'email' } : find('storable') ? { format: 'password' } : {};
  return { type: 'string', ...(isRequired && { minLength: 1 }), ...format, ...described };
}

function mergeFields(schema, fields) {
  const place = [...SCHEMAS, schema];
  const before = document.getIn([...place, 'properties']);
  const properties = fields.map((field) => {
    const { name, maxLength, description, isRequired } = field;
    const node = before.get(name) ?? document.createNode(firstSchema(field));
    setOrDelete(node, 'maxLength', maxLength, isRequired ? 'minLength' : 'type');
    if (description !== undefined) {
      node.set('description', description);
    }
    return [name, node];
  });
  setProperties([...place, 'properties'], properties);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => document.createNode(name));
  const list = document.getIn([...place, 'required']);
  if (required.length === 0) {
    // An empty list is no valid schema.
    document.deleteIn([...place, 'required']);
  } else if (list) {
    list.items = required;
  } else {
    document.setIn([...place, 'required'], required);
  }
}

/** Sets a key, a new one behind another one; without a value, the key goes. */
function setOrDelete(node, key, value, after) {
  if (value === undefined) {
    node.delete(key);
  } else if (node.has(key)) {
    node.set(key, value);
  } else {
    const position = node.items.findIndex((item) => item.key.value === after) + 1;
    node.items.splice(position, 0, document.createPair(key, value));
  }
}

/** Makes a map have these entries in this order. */
function setProperties(place, entries) {
  const map = document.getIn(place);
  map.items = entries.map(
    ([name, value]) => map.items.find((pair) => pair.key.value === name) ?? document.createPair(name, value),
  );
}

/** A profile has its required texts, the documents, and the optional texts. */
function mergeProfile() {
  const place = [...SCHEMAS, 'DoctorProfile'];
  const texts = Object.entries(PROFILE_TEXTS).map(([name, { isRequired, description }]) => [
    name,
    isRequired,
    document.createNode({ type: isRequired ? 'string' : ['string', 'null'], description: `${description}.` }),
  ]);
  for (const [, isRequired, node] of texts) {
    if (!isRequired) {
      node.get('type').flow = true;
    }
  }
  const map = document.getIn([...place, 'properties']);
  const urls = map.items
    .filter(({ key }) => key.value.endsWith('Url'))
    .map(({ key, value }) => [key.value, value]);
  const entry = ([name, , node]) => [name, node];
  const entries = [
    ...texts.filter(([, isRequired]) => isRequired).map(entry),
    ...urls,
    ...texts.filter(([, isRequired]) => !isRequired).map(entry),
  ];
  map.items = entries.map(([name, node]) => document.createPair(name, node));
  document.getIn([...place, 'required']).items = entries.map(([name]) => document.createNode(name));
}

/** Makes the profiles in the examples of answers have the fields of their schema; a new text was not given. */
function completeExamples() {
  const names = document.getIn([...SCHEMAS, 'DoctorProfile', 'required']).items.map(({ value }) => value);
  const complete = (_, { key, value: profile }) => {
    if (key.value === 'profile' && isMap(profile) && profile.has('licenseFileUrl')) {
      const given = new Map(profile.items.map((pair) => [pair.key.value, pair]));
      const firstValue = (name) => (PROFILE_TEXTS[name].isRequired ? 'Example' : null);
      profile.items = names.map((name) => given.get(name) ?? document.createPair(name, firstValue(name)));
    }
  };
  visit(document, { Pair: complete });
}

/** Routes and errors that the document lacks, and routes that only it has. */
export function problemsOfOpenApi() {
  const documented = operations().map(({ route }) => route);
  const actual = routes();
  const texts = Object.values(document.toJS().components.schemas).flatMap(
    ({ properties }) =>
      properties?.message?.const ?? properties?.message?.enum ?? properties?.error_description?.const ?? [],
  );
  return [
    ...actual.filter((route) => !documented.includes(route)).map((route) => `"${route}" is not in ${FILE}`),
    ...documented.filter((route) => !actual.includes(route)).map((route) => `"${route}" is only in ${FILE}`),
    // The document has more messages, such as those of answers.
    ...messages()
      .filter((message) => !texts.includes(message))
      .map((message) => `the error "${message}" is not in ${FILE}`),
  ];
}

/** Every `method path` of the routers. */
function routes() {
  // No route is called, so the routers need no service. A route needs a handler.
  const handler = (_req, _res, next) => next();
  return [
    ...routesOf(authRoutes({ jsonBody: handler, formBody: handler, formGuard: handler }), PREFIX),
    ...routesOf(userRoutes({}), '/api/v1/user'),
    ...routesOf(introspectionRoutes({}), ''),
    ...routesOf(eventRoutes({ jsonBody: handler }), ''),
    ...routesOf(forwardAuthRoutes({}), ''),
  ];
}

function routesOf({ stack }, prefix) {
  return stack.flatMap(({ route, handle }) => {
    if (!route && handle.stack) {
      return routesOf(handle, prefix);
    }
    // The handler of `all`, which rejects the other methods, has no method.
    const methods = new Set(route?.stack.map(({ method }) => method).filter(Boolean));
    const path = String(route?.path).replace(/:(\w+)/g, '{$1}');
    return [...methods].map((method) => `${method} ${prefix}${path}`.replace(/\/$/, ''));
  });
}

/** The text of each error class that has a fixed one. */
const messages = () =>
  Object.values(errors)
    .filter((ErrorClass) => !(new ErrorClass('', 1) instanceof errors.ValidationError))
    .map((ErrorClass) => new ErrorClass('', 1).message)
    .filter((message) => message !== '');
