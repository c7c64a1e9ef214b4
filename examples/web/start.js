import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

// The gateway and the example in one process, so that whatever ends the gateway ends both. The gateway comes first: it
// reads the settings, PORT among them, from the environment and from .env.
await import('../../dist/main.js');

const configFile = fileURLToPath(new URL('vite.config.ts', import.meta.url));
await build({ configFile, logLevel: 'warn' });
const { resolvedUrls } = await preview({ configFile });
process.stdout.write(`The example application is ready: ${resolvedUrls?.local[0]}\n`);
