import path from 'node:path';
import express, { Router } from 'express';
import { DOCUMENT_GROUPS } from '../documents/document-store.ts';
import { extensionOf } from '../documents/document-types.ts';
import { onlyMethod } from './json-errors.ts';

/** What is for download; all else is a pdf or an image, and may be shown in place. */
const ATTACHMENT_EXTENSIONS = new Set(['doc', 'docx']);
const SECONDS_OF_A_YEAR = 31_536_000;

/**
 * Serves stored documents at `/<group>/<name>`. A document is whatever a stranger has uploaded: it must not run as
 * anything (nosniff, a sandboxed CSP), and never changes (its name is random).
 * @param storageRoot the folder that holds the groups
 */
export function storedDocuments(storageRoot: string): Router {
  const router = Router();
  for (const group of DOCUMENT_GROUPS) {
    const folder = path.join(storageRoot, group);
    const serve = express.static(folder, {
      dotfiles: 'ignore',
      index: false,
      redirect: false,
      immutable: true,
      maxAge: SECONDS_OF_A_YEAR * 1000,
      setHeaders: (res, filePath) => {
        const disposition = ATTACHMENT_EXTENSIONS.has(extensionOf(filePath)) ? 'attachment' : 'inline';
        res.setHeader('Content-Disposition', disposition);
        res.setHeader('X-Content-Type-Options', 'nosniff');
        res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
      },
    });
    router.use(`/${group}`, onlyMethod('GET, HEAD'), serve);
  }
  return router;
}
