import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The folder of package.json, as seen from src/system and from dist/system. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The version of this package. */
export const ownVersion = (): string =>
  (require(path.join(PACKAGE_ROOT, 'package.json')) as { version: string }).version;
