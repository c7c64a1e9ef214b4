import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

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

/** Builds what browsers load for the pages. `src/api/pages` serves it, and finds the files in the manifest. */
export default defineConfig({
  root: here('.'),
  // Relative, so that the pages also work below the path of a proxy.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [keepIconNames],
  resolve: {
    alias: [
      // GraphiQL and monaco-graphql load Monaco by these names. Ours loads less of it.
      {
        find: /^(?:monaco-graphql\/esm|\.)\/monaco-editor(?:\.js)?$/,
        replacement: here('graphiql/monaco.ts'),
      },
    ],
  },
  build: {
    outDir: here('../dist/browser'),
    emptyOutDir: true,
    manifest: 'manifest.json',
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
        favicon: here('shared/favicon.ts'),
      },
    },
  },
});
