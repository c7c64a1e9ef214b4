import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The folder of package.json, as seen from src/pages and from dist/pages. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

const versionOf = (manifest: string): string => (require(manifest) as { version: string }).version;

/** The files that pages may load, by package. No other file is served. */
const PARTS = {
  react: ['umd/react.production.min.js'],
  'react-dom': ['umd/react-dom.production.min.js'],
  graphiql: ['graphiql.min.js', 'graphiql.min.css'],
  'swagger-ui-dist': ['swagger-ui-bundle.js', 'swagger-ui.css'],
  'auth-gateway': ['graphiql.js', 'graphiql.css', 'docs.js', 'start.css', 'favicon.svg'],
} as const;

type Part = keyof typeof PARTS;

/** A file to serve. */
export interface Asset {
  root: string;
  file: string;
  /** True if the path changes with the file. Our own files may change between two releases, under the same version. */
  isImmutable: boolean;
}

const isOwn = (part: Part): boolean => part === 'auth-gateway';
const manifestOf = (part: Part): string =>
  isOwn(part) ? path.join(PACKAGE_ROOT, 'package.json') : require.resolve(`${part}/package.json`);

/** The version of this package. */
export const ownVersion = (): string => versionOf(manifestOf('auth-gateway'));

/**
 * The URL of a file for a page.
 * @returns a relative path, so that pages work below the path of a proxy, too
 */
export function assetUrl<P extends Part>(part: P, file: (typeof PARTS)[P][number]): string {
  return `assets/${part}/${versionOf(manifestOf(part))}/${file}`;
}

/** Finds the file of `/assets/<part>/<version>/<file>`, if it is in the list above. The path is not decoded. */
export function findAsset(urlPath: string): Asset | undefined {
  for (const part of Object.keys(PARTS) as Part[]) {
    for (const file of PARTS[part] as readonly string[]) {
      if (!urlPath.startsWith(`/assets/${part}/`)) {
        continue;
      }
      if (urlPath !== `/assets/${part}/${versionOf(manifestOf(part))}/${file}`) {
        continue;
      }
      const folder = path.dirname(manifestOf(part));
      return { root: isOwn(part) ? path.join(folder, 'pages') : folder, file, isImmutable: !isOwn(part) };
    }
  }
  return undefined;
}
