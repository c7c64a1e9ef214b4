import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'http://127.0.0.1:4000/graphql',
  // Without a gateway: schema: 'node_modules/@auth-gateway/client/schema.graphql',
  documents: 'src/**/*.{ts,tsx}',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // For graphql-request: documentMode: 'string',
        useTypeImports: true,
        enumType: 'string-literal',
        strictScalars: true,
        defaultScalarType: 'unknown',
        scalars: {
          Date: 'string',
          DateTime: 'string',
          JSONObject: 'Record<string, unknown>',
          Upload: 'File',
        },
      },
    },
    'src/gql/error-code.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true, enumsAsConst: true, namingConvention: 'keep' },
    },
  },
};
export default config;
