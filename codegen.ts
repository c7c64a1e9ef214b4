import { type CodegenConfig, documentsPreset } from './codegen/documents-preset.ts';

const typedDocuments = {
  preset: documentsPreset,
  presetConfig: { fragmentMasking: false },
  config: {
    documentMode: 'string',
    enumType: 'string-literal',
    useTypeImports: true,
    defaultScalarType: 'unknown',
    strictScalars: true,
    // In the JSON of a multipart request, each file is null.
    scalars: {
      Date: 'string',
      DateTime: 'string',
      JSONObject: 'Record<string, unknown>',
      Upload: 'null',
    },
  },
} as const;

const SCHEMA = 'schema/schema.graphql';

const config: CodegenConfig = {
  importExtension: '.ts',
  generates: {
    // Typed documents of the operations in schema/operations, for the client and the tests.
    'packages/client/src/generated/': {
      schema: SCHEMA,
      documents: 'schema/operations/*.graphql',
      ...typedDocuments,
    },
    // The documents of the operators' console.
    'pages/console/generated/': {
      schema: 'schema/operators.graphql',
      documents: 'pages/console/operations/*.graphql',
      ...typedDocuments,
    },
    // Reviewers use the API of everybody else.
    'pages/console/generated-reviews/': {
      schema: SCHEMA,
      documents: 'pages/console/review-operations/*.graphql',
      ...typedDocuments,
    },
    // The error codes. The client preset omits them, because no operation uses them.
    'packages/client/src/generated/enums.ts': {
      schema: SCHEMA,
      plugins: ['typescript'],
      config: { onlyEnums: true, enumsAsConst: true, namingConvention: 'keep' },
    },
  },
};

export default config;
