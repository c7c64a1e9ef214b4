import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeHtml, type Html } from '../../system/output-encoding.ts';
import { PACKAGE_ROOT } from '../../system/own-package.ts';
import type { PageBrand } from './brand.ts';

/** A page, before it is written as HTML. */
interface Page {
  /** What the page is. The name of the service follows it. */
  title?: string;
  brand: PageBrand;
  /** The source of its entry in `pages/vite.config.ts`, such as `docs/main.ts`. */
  entry: string;
  body: Html;
  /** For the script of the page: `readSettings` in `pages/shared` reads it. */
  settings?: object;
}

/**
 * The policy of a page in which people are logged in: only this server, nothing inline, no form of the browser and no frame around the
 * page (CSP Level 3; OWASP ASVS 3.4.3 and 3.4.6).
 * @param more directives of the page's own
 */
export const strictPolicy = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ...more,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Writes a page as HTML. It loads only files of this server. */
export function shell({ title, brand, entry, body, settings }: Page): string {
  const { script, styles } = findEntry(entry);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml([title, brand.name].filter(Boolean).join(' · '))}</title>
<link rel="icon" type="image/svg+xml" href="${assetUrl('shared/favicon.svg')}">
${[...styles, ...(brand.style ? [brand.style] : [])].map((url) => `<link rel="stylesheet" href="${url}">`).join('\n')}
<script src="${script}" type="module"></script>
</head>
<body>
${body}
${settings ? `<script type="application/json" id="settings">${json(settings)}</script>` : ''}
</body>
</html>
`;
}

/** JSON for the inside of a script element, which ends at the first `</script`. */
const json = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** What `npm run build:pages` writes: the files that browsers load, and a manifest of them. */
const BUILD = path.join(PACKAGE_ROOT, 'dist/browser');

/** The manifest of Vite: https://vite.dev/guide/backend-integration. */
type Manifest = Record<string, { file: string; css?: string[]; assets?: string[]; imports?: string[] }>;

let cached: Manifest | undefined;

const manifest = (): Manifest => {
  cached ??= readManifest(BUILD);
  return cached;
};

/**
 * Reads which files there are, at the start: a gateway without its pages fails then, not at the first request.
 * @throws Error with what to do, if the pages are not built
 */
export function readManifest(folder = BUILD): Manifest {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest;
  } catch (cause) {
    throw new Error('The pages are not built. Run `npm run build:pages`, or set PAGES=off.', { cause });
  }
}

/**
 * Finds the files of a page: its script, and the styles of the script and of all that it imports. The URLs are relative, so
 * that pages work below the path of a proxy, too.
 */
function findEntry(source: string): { script: string; styles: string[] } {
  const chunks = manifest();
  const seen = new Set<string>();
  const styles = (name: string): string[] => {
    if (seen.has(name)) {
      return [];
    }
    seen.add(name);
    const { imports = [], css = [] } = chunks[name] ?? {};
    return [...imports.flatMap(styles), ...css];
  };
  return { script: chunks[source]?.file ?? '', styles: styles(source) };
}

/** The URL of a picture or other file that a page loads. */
export const assetUrl = (source: string): string => manifest()[source]?.file ?? '';

/** A file that browsers may load. */
interface ServedFile {
  root: string;
  file: string;
  /** True if there is a compressed copy of the same name with `.br` at its end. */
  isCompressed: boolean;
}

let served: Map<string, ServedFile> | undefined;

/** All files that browsers may load, by their path. No other file is served. */
const servedFiles = (): Map<string, ServedFile> =>
  new Map(
    Object.values(manifest())
      .flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets])
      .map((file) => [
        `/${file}`,
        { root: BUILD, file, isCompressed: existsSync(path.join(BUILD, `${file}.br`)) },
      ]),
  );

/**
 * Finds the file of `/assets/<name>-<hash>.<extension>`. The path is not decoded.
 * @returns the file if a page may load it. Its path changes with the content
 */
export function findAsset(urlPath: string): ServedFile | undefined {
  served ??= servedFiles();
  return served.get(urlPath);
}
