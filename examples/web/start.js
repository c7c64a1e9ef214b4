import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

// The gateway and the example run in one process, so that they end together. The gateway starts first, because it reads the
// settings, such as PORT, from the environment and from .env.
await import('../../dist/main.js');

const configFile = fileURLToPath(new URL('vite.config.ts', import.meta.url));
await build({ configFile, logLevel: 'warn' });
const { resolvedUrls } = await preview({ configFile });
// No browser has passkeys for a page whose address is a number.
const address = resolvedUrls?.local[0]?.replace('127.0.0.1', 'localhost');
process.stdout.write(`The example application is ready: ${address}\n`);
