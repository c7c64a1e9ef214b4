import type { CodegenConfig } from '@graphql-codegen/cli';
import { preset as clientPreset } from '@graphql-codegen/client-preset';

type Preset = typeof clientPreset;
type Section = Awaited<ReturnType<Preset['buildGeneratesSection']>>[number];

const FOREIGN_TYPE = "from '@graphql-typed-document-node/core';";
const OWN_TYPE = "from '../typed-document.ts';";

/**
 * The client preset for a package without dependencies. It generates the documents, but not the function `graphql`, which is
 * not used here. The documents use one type of another package. That type is replaced by our own, because its package depends
 * on graphql, which every front-end would then install.
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
        // In the JSON of a multipart request, each file is null.
        scalars: { Date: 'string', DateTime: 'string', Upload: 'null' },
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
