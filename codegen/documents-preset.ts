import { preset as clientPreset } from '@graphql-codegen/client-preset';

export type { CodegenConfig } from '@graphql-codegen/cli';

type Preset = typeof clientPreset;
type Section = Awaited<ReturnType<Preset['buildGeneratesSection']>>[number];

const FOREIGN_TYPE = "from '@graphql-typed-document-node/core';";
const OWN_TYPE = "from '../typed-document.ts';";

/**
 * The client preset for a package without dependencies. It generates the documents, but not the function `graphql`, which is
 * not used here. The documents use one type of another package. That type is replaced by our own, because its package depends
 * on graphql, which every front-end would then install.
 */
export const documentsPreset: Preset = {
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
