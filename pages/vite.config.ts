import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { commonPasswords } from './people/common-passwords.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** GraphiQL titles its icons by the names of their functions, which the minifier shortens ("cb icon"). */
const keepIconNames: Plugin = {
  name: 'keep-icon-names',
  transform: {
    filter: { id: /@graphiql\/react\/dist\/icons\/index\.js$/ },
    handler: (code) =>
      code.replaceAll(
        /generateIcon\((Svg\w+)\)/g,
        "generateIcon(Object.defineProperty($1, 'name', { value: '$1' }))",
      ),
  },
};

/** libheif is LGPL: it is a file of its own that can be replaced, and these texts go with it. */
const SOURCES = (
  version: string,
) => `libheif-bundle-*.mjs in the folder assets is libheif ${version} with libde265 1.0.15, as the package
libheif-js ${version} has them. You may replace it by another build: it is loaded as it is. The sources:
https://github.com/strukturag/libheif/tree/v${version}
https://github.com/strukturag/libde265/tree/v1.0.15
https://github.com/catdad-experiments/libheif-js/tree/v${version}

`;

/** What workers load. Vite knows the licences of what pages load. */
const OF_WORKERS = [
  ...['libheif-js', 'pdfjs-dist', 'utif2', 'pako', 'jszip', 'mammoth', '@xmldom/xmldom', 'base64-js'],
  ...['dingbat-to-unicode', 'lop', 'option', 'underscore', 'xmlbuilder'],
];

const workerLicenses: Plugin = {
  name: 'worker-licenses',
  generateBundle() {
    for (const name of OF_WORKERS) {
      const folder = here(`../node_modules/${name}`);
      const read = (file: string) => readFileSync(`${folder}/${file}`, 'utf8');
      const { version } = JSON.parse(read('package.json')) as { version: string };
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const texts = files.filter((file) => /(?:^|\/)LICENSE[^/]*$/.test(file)).map(read);
      const source = [...(name === 'libheif-js' ? [SOURCES(version)] : []), ...texts].join('\n');
      this.emitFile({ type: 'asset', fileName: `licenses/${name.replace('/', '-')}.txt`, source });
    }
  },
};

/** Builds what browsers load for the pages. `src/api/pages` serves it, and finds the files in the manifest. */
export default defineConfig({
  root: here('.'),
  // Relative, so that the pages also work below the path of a proxy.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [keepIconNames, workerLicenses, commonPasswords()],
  // Workers of the console import programs when they need them, which only modules do.
  worker: { format: 'es' },
  resolve: {
    alias: [
      // GraphiQL and monaco-graphql load Monaco by these names. Ours loads less of it.
      {
        find: /^(?:monaco-graphql\/esm|\.)\/monaco-editor(?:\.js)?$/,
        replacement: here('graphiql/monaco.ts'),
      },
      { find: '@auth-gateway/client/react', replacement: here('../packages/client/src/react/index.ts') },
      { find: '@auth-gateway/client', replacement: here('../packages/client/src/index.ts') },
    ],
  },
  build: {
    outDir: here('../dist/browser'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    license: { fileName: 'licenses/bundled.md' },
    // The policy of the pages permits no `data:` fonts and scripts, and pictures are cached better as files.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 8000,
    rolldownOptions: {
      // "use client" means nothing in a bundle.
      checks: { moduleLevelDirective: false },
      input: {
        start: here('start/main.ts'),
        graphiql: here('graphiql/main.tsx'),
        docs: here('docs/main.ts'),
        console: here('console/main.tsx'),
        people: here('people/main.tsx'),
        favicon: here('shared/favicon.ts'),
      },
    },
  },
});
