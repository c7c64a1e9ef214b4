import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The page sends requests to its own origin, which passes them on. So the gateway needs no CORS_ORIGINS. */
const gateway = `http://127.0.0.1:${process.env.PORT || 4000}`;
const proxy = { '/graphql': gateway, '/storage': gateway };

/** The page needs no inline code and no other origin. Previews of pictures and shown PDFs are `blob:` addresses. */
const headers = {
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' blob:; frame-src blob:; base-uri 'none'; form-action 'self'",
  'Referrer-Policy': 'no-referrer',
};

export default defineConfig({
  root: here('.'),
  // In a project of your own, `npm install` the client instead.
  resolve: { alias: { '@auth-gateway/client': here('../../packages/client/src/index.ts') } },
  server: { host: '127.0.0.1', proxy, fs: { allow: [here('.'), here('../../packages/client/src')] } },
  preview: { host: '127.0.0.1', port: Number(process.env.EXAMPLE_PORT || 4173), proxy, headers },
});
