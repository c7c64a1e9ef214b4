import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The folder of package.json, as seen from src/pages and from dist/pages. */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

const versionOf = (manifest: string): string => (require(manifest) as { version: string }).version;

/** Where each part that pages are made of has its files, and the only files of it that are served. */
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
  /** Whether the version in the path changes whenever the file does: not so for our own, between two releases. */
  isImmutable: boolean;
}

const isOwn = (part: Part): boolean => part === 'auth-gateway';
const manifestOf = (part: Part): string =>
  isOwn(part) ? path.join(PACKAGE_ROOT, 'package.json') : require.resolve(`${part}/package.json`);

/** The version of this package. */
export const ownVersion = (): string => versionOf(manifestOf('auth-gateway'));

/**
 * Where a page finds a file.
 * @returns a relative path, so that pages work below the path of a proxy, too
 */
export function assetUrl<P extends Part>(part: P, file: (typeof PARTS)[P][number]): string {
  return `assets/${part}/${versionOf(manifestOf(part))}/${file}`;
}

/** Finds what `/assets/<part>/<version>/<file>` names; only what is listed above can be found, as it is written. */
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
