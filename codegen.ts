import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents of the operations in schema/operations, for the client and the tests. */
const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  documents: 'schema/operations/*.graphql',
  importExtension: '.ts',
  generates: {
    'src/client/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumType: 'string-literal',
        useTypeImports: true,
        defaultScalarType: 'unknown',
        strictScalars: true,
        scalars: { DateTime: 'string', Upload: 'Blob' },
      },
    },
  },
};

export default config;
