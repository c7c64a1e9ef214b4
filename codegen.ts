import type { CodegenConfig } from '@graphql-codegen/cli';
import { preset as clientPreset } from '@graphql-codegen/client-preset';

type Preset = typeof clientPreset;
type Section = Awaited<ReturnType<Preset['buildGeneratesSection']>>[number];

const FOREIGN_TYPE = "from '@graphql-typed-document-node/core';";
const OWN_TYPE = "from '../typed-document.ts';";

/**
 * The client preset for a package without dependencies: the documents, and not the function `graphql`, which nobody calls
 * here. Their one foreign type becomes the package's own: its package would bring the whole of graphql to every front-end.
 */
const documentsPreset: Preset = {
  ...clientPreset,
  async buildGeneratesSection(options) {
    const sections = await clientPreset.buildGeneratesSection(options);
    return sections.filter(({ filename }) => filename.endsWith('/graphql.ts')).map(withOwnType);
  },
};

function withOwnType(section: Section): Section {
  const plugins = Object.entries(section.pluginMap).map(([name, plugin]) => [
    name,
    {
      ...plugin,
      plugin: async (...args: Parameters<typeof plugin.plugin>) => {
        const output = await plugin.plugin(...args);
        if (typeof output === 'string' || !output.prepend) {
          return output;
        }
        return { ...output, prepend: output.prepend.map((line) => line.replace(FOREIGN_TYPE, OWN_TYPE)) };
      },
    },
  ]);
  return { ...section, pluginMap: Object.fromEntries(plugins) };
}

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
