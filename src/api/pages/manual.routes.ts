import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Router } from 'express';
import { PACKAGE_ROOT } from '../../system/own-package.ts';
import { onlyMethod } from '../http/error-responses.ts';
import { SECONDS_OF_A_YEAR, sendFile } from '../http/send-file.ts';

/** Where `npm run manual` writes the manual. The package does not have it. */
const FOLDER = path.join(PACKAGE_ROOT, 'docs/.vitepress/dist');
const START = path.join(FOLDER, 'index.html');
/** VitePress removes it first, and writes it when all pages are there. */
const LAST = path.join(FOLDER, 'hashmap.json');

/** When the manual was made, in milliseconds since 1970; undefined without one. */
const madeAt = (): number | undefined => statSync(LAST, { throwIfNoEntry: false })?.mtimeMs;

/** True if the manual was made. */
export const hasManual = (): boolean => madeAt() !== undefined;

/** Scripts inside the page: two that set the colours and the keyboard before anything is drawn. */
const INLINE_SCRIPT = /<script(?![^>]* (?:src|type)=)[^>]*>([\s\S]*?)<\/script>/g;

/** Only these scripts may be inline, and only attributes may have styles: the colours of code (CSP Level 3). */
function policyOf(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Finds out what the manual has, and anew when it is made while the gateway runs. @returns undefined without a manual */
function manualReader() {
  let known: { at: number; policy: string; files: Set<string> } | undefined;
  return () => {
    const at = madeAt();
    if (at !== known?.at) {
      known =
        at === undefined ? at : { at, policy: policyOf(readFileSync(START, 'utf8')), files: namesIn(FOLDER) };
    }
    return known;
  };
}

/** The manual, for people. Without one, its addresses lead nowhere. */
export function manualRoutes(): Router {
  const readManual = manualReader();
  const router = Router({ strict: true, caseSensitive: true });
  const getOnly = onlyMethod('GET, HEAD');
  router.use('/manual', (_req, _res, next) => next(hasManual() ? undefined : 'router'));
  router.all('/manual', getOnly, (_req, res) => res.redirect(301, 'manual/'));
  router.use('/manual/', getOnly, (req, res, next) => {
    const manual = readManual();
    // The path is not decoded, because the names of the files need no decoding.
    const file = req.path === '/' ? 'index.html' : req.path.slice(1);
    if (!manual?.files.has(file)) {
      return next();
    }
    const isHashed = file.startsWith('assets/');
    const headers = {
      'Cache-Control': isHashed ? `public, max-age=${SECONDS_OF_A_YEAR}, immutable` : 'no-cache',
      ...(file.endsWith('.html') && { 'Content-Security-Policy': manual.policy }),
    };
    sendFile(req, res, { root: FOLDER, path: file, headers }).catch(next);
  });
  return router;
}

/** The paths of the files in a folder. No other one is looked for on the disk. */
const namesIn = (folder: string): Set<string> =>
  new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/'),
      ),
  );
