import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

export interface Reference {
  $ref: string;
}
interface Example {
  summary?: string;
  value: unknown;
}
export interface MediaType {
  schema?: Reference;
  examples?: Record<string, Example>;
}
export interface HeaderRule {
  description?: string;
  required?: boolean;
  schema: { type?: string };
}
export interface ResponseRule {
  description: string;
  headers?: Record<string, HeaderRule | Reference>;
  content?: Record<string, MediaType>;
}
export interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, ResponseRule | Reference>;
}
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: {
    headers: Record<string, HeaderRule>;
    responses: Record<string, ResponseRule>;
    schemas: Record<string, unknown>;
  };
}

const KEY = 'openapi.yaml';
let loaded: { document: OpenApiDocument; ajv: Ajv2020 } | undefined;

/** The document and the compiler of its schemas; read once per test file, and only by those that need it. */
function load(): { document: OpenApiDocument; ajv: Ajv2020 } {
  if (loaded) {
    return loaded;
  }
  const text = readFileSync(process.env.TEST_OPENAPI_FILE ?? '', 'utf8');
  const document = JSON.parse(text) as OpenApiDocument;
  // OpenAPI 3.1 has `null` as a second type, where 3.0 had `nullable`.
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    formats: { binary: true, password: true },
    // Ajv would take the whole document for a schema. The real schemas are checked when they are compiled.
    validateSchema: false,
  });
  // By its types, the default export of a CommonJS module is the module.
  addFormatsModule.default(ajv);
  // Ajv sees the document as a schema. The keywords at its root have no rules for values.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, KEY);
  loaded = { document, ajv };
  return loaded;
}

/** `schema/openapi.yaml`, which global-setup.mjs has parsed. */
export const openApiDocument = (): OpenApiDocument => load().document;

/** The target of a reference inside the document; any other value is returned unchanged. */
export function resolved<T extends object>(node: T | Reference): T {
  if (!('$ref' in node)) {
    return node;
  }
  const steps = node.$ref.replace(/^#\//, '').split('/');
  const target = steps.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    openApiDocument(),
  );
  if (typeof target !== 'object' || target === null) {
    throw new Error(`${node.$ref} leads nowhere`);
  }
  return target as T;
}

/** The validator of the schema at a reference or a pointer (`#/…`) of the document; compiled once. */
function validatorOf(pointer: string): ValidateFunction {
  const validator = load().ajv.getSchema(KEY + pointer);
  if (!validator) {
    throw new Error(`${pointer} is no schema`);
  }
  return validator;
}

const told = (errors: ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');

/**
 * Checks a value against a schema.
 * @param pointer the schema, as `#/components/schemas/…`
 * @returns the problem; undefined if there is none
 */
export function problemWith(pointer: string, value: unknown): string | undefined {
  const validate = validatorOf(pointer);
  return validate(value) ? undefined : told(validate.errors);
}
