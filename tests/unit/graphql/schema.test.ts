import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { createSchema, type SchemaParts } from '../../../src/api/graphql/schema.ts';
import * as errors from '../../../src/system/errors.ts';

// No resolver runs here, so the schema needs no service.
const schema: GraphQLSchema = createSchema({} as SchemaParts);

interface Described {
  name: string;
  description?: string | null | undefined;
}

/** A type and everything in it, by full name. */
function describedIn(type: GraphQLNamedType): Described[] {
  const within = (parent: string, parts: readonly Described[]) =>
    parts.map(({ name, description }) => ({ name: `${parent}.${name}`, description }));
  if (isEnumType(type)) {
    return [type, ...within(type.name, type.getValues())];
  }
  if (isInputObjectType(type)) {
    return [type, ...within(type.name, Object.values(type.getFields()))];
  }
  if (!isObjectType(type)) {
    return [type];
  }
  const fields = Object.values(type.getFields());
  const args = fields.flatMap((field) => within(`${type.name}.${field.name}`, field.args));
  return [type, ...within(type.name, fields), ...args];
}

test('everything in the schema has a description', () => {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const described = types.flatMap(describedIn);
  expect(described.length).toBeGreaterThan(80);
  expect(described.filter(({ description }) => !description?.trim()).map(({ name }) => name)).toEqual([]);
});

describe('the enum ErrorCode', () => {
  const type = schema.getType('ErrorCode');
  const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];

  /** One error of every class. The code does not depend on the arguments. */
  const ours = Object.values(errors)
    // Only the operators' API has conflicts.
    .filter(
      (ErrorClass) =>
        ![errors.ServiceError, errors.ChallengeError, errors.ConflictError].includes(ErrorClass as never),
    )
    .map((ErrorClass) => Reflect.construct(ErrorClass, [{}, {}, {}]) as errors.ServiceError);

  test('has the code of every error class', () => {
    expect(ours.length).toBeGreaterThan(10);
    expect(codes).toEqual(expect.arrayContaining(ours.map(({ code }) => code)));
  });

  test('has beyond that only the codes of Apollo Server and graphql-js for requests that cannot run', () => {
    const ownCodes = new Set(ours.map(({ code }) => code));
    expect(codes.filter((code) => !ownCodes.has(code)).sort()).toEqual([
      'GRAPHQL_PARSE_FAILED',
      'GRAPHQL_VALIDATION_FAILED',
      'OPERATION_RESOLUTION_FAILURE',
      'PERSISTED_QUERY_NOT_SUPPORTED',
    ]);
  });
});
