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
    const isOfPages = options.baseOutputDir.startsWith('pages/');
    return sections
      .filter(({ filename }) => filename.endsWith('/graphql.ts'))
      .map((section) => withOwnType(section, isOfPages));
  },
};

/** The fragments as documents of their own. The pages send operations, which have the text of their fragments. */
const FRAGMENTS = /^export const \w+FragmentDoc = new TypedDocumentString\(`[^`]*`[^;]*;\n/gm;

/** Documents on one line, as they are sent. */
const compact = (content: string): string =>
  content.replace(/`[^`]*`/g, (document) => document.replace(/\s+/g, ' '));

/** @param isOfPages true to leave out {@link FRAGMENTS}, and for {@link compact} documents; the client's are public */
function withOwnType(section: Section, isOfPages: boolean): Section {
  const plugins = Object.entries(section.pluginMap).map(([name, plugin]) => [
    name,
    {
      ...plugin,
      plugin: async (...args: Parameters<typeof plugin.plugin>) => {
        const output = await plugin.plugin(...args);
        if (typeof output === 'string' || !output.prepend) {
          return output;
        }
        return {
          content: isOfPages ? compact(output.content.replaceAll(FRAGMENTS, '')) : output.content,
          prepend: output.prepend.map((line) => line.replace(FOREIGN_TYPE, OWN_TYPE)),
        };
      },
    },
  ]);
  return { ...section, pluginMap: Object.fromEntries(plugins) };
}
