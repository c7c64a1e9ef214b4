import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: 'schema/operations/*.graphql',
  importExtension: '.ts',
  generates: {
    // Typed documents of the operations in schema/operations, for the client and the tests.
    'packages/client/src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumType: 'string-literal',
        useTypeImports: true,
        defaultScalarType: 'unknown',
        strictScalars: true,
        // In the JSON of a multipart request, null stands where a file goes.
        scalars: { DateTime: 'string', Upload: 'null' },
      },
    },
    // The client preset leaves out what no operation refers to: the error codes.
    'packages/client/src/generated/enums.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true, enumsAsConst: true, namingConvention: 'keep' },
    },
  },
};

export default config;
