import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

// The gateway and the page run in one process, so that they end together. The gateway starts first, because it reads the settings,
// such as PORT, from the environment and from .env.
await import('../../dist/main.js');

const configFile = fileURLToPath(new URL('vite.config.ts', import.meta.url));
await build({ configFile, logLevel: 'warn' });
const { resolvedUrls } = await preview({ configFile });
process.stdout.write(`The example application is ready: ${resolvedUrls?.local[0]}\n`);
