import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const gateway = `http://127.0.0.1:${process.env.PORT || 4000}`;

export default defineConfig({
  root: here('.'),
  // In a project of your own, `npm install` the client instead.
  resolve: { alias: { '@auth-gateway/client': here('../../packages/client/src/index.ts') } },
  // The folder `assets` is that of the gateway's pages.
  build: { assetsDir: 'files', emptyOutDir: true },
  preview: {
    port: Number(process.env.EXAMPLE_PORT || 4173),
    // The gateway needs no CORS_ORIGINS then. It serves the pages for people, too.
    proxy: { '/graphql': gateway, '/people': gateway, '/assets': gateway },
    // Every script of the page's origin can read the token.
    headers: { 'Content-Security-Policy': "default-src 'self'; img-src data:; base-uri 'none'" },
  },
});
