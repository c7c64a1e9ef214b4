import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { commonPasswords } from './common-passwords.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The page sends requests to its own origin, which passes them on. So the gateway needs no CORS_ORIGINS. */
const gateway = `http://127.0.0.1:${process.env.PORT || 4000}`;
const proxy = { '/graphql': gateway };

/** The page needs no inline code and no other origin. Previews of pictures are `blob:` addresses. */
const headers = {
  'Content-Security-Policy': "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'self'",
  'Referrer-Policy': 'no-referrer',
};

// In a project of your own, `npm install` the client instead.
const client = here('../../packages/client/src');

export default defineConfig({
  root: here('.'),
  plugins: [commonPasswords()],
  resolve: {
    alias: [
      { find: '@auth-gateway/client/react', replacement: `${client}/react/index.ts` },
      { find: '@auth-gateway/client', replacement: `${client}/index.ts` },
    ],
  },
  build: {
    // Tests build the example several times at once, each into a folder of its own.
    outDir: process.env.EXAMPLE_DIST || 'dist',
    emptyOutDir: true,
    // "use client" means nothing in a bundle.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  // The server of `npx vite` names itself localhost, which passkeys need.
  server: {
    proxy,
    fs: {
      allow: [
        here('.'),
        client,
        here('../../pages/shared'),
        here('../../docs/people'),
        here('../../node_modules'),
      ],
    },
  },
  preview: { host: '127.0.0.1', port: Number(process.env.EXAMPLE_PORT || 4173), proxy, headers },
});
