import { type CodegenConfig, documentsPreset } from './codegen/documents-preset.ts';

const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: 'schema/operations/*.graphql',
  importExtension: '.ts',
  generates: {
    // Typed documents of the operations in schema/operations, for the client and the tests.
    'packages/client/src/generated/': {
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
    },
    // The error codes. The client preset omits them, because no operation uses them.
    'packages/client/src/generated/enums.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true, enumsAsConst: true, namingConvention: 'keep' },
    },
  },
};

export default config;
