import type { Request, Response } from 'express';
import send from 'send';
import { toUrlPath } from '../../documents/stored-path.ts';
import { BadRequestError } from '../../system/errors.ts';

export const SECONDS_OF_A_YEAR = 31_536_000;

/** A file to send. */
export interface SentFile {
  /** The folder. No file outside it is ever sent. */
  root: string;
  /** The path below the root, as it is. */
  path: string;
  /** Headers in addition to those that `send` derives from the file. */
  headers: Record<string, string>;
}

/** The answer of `send` or a store if it does not send a file. */
export interface Refused {
  status: number;
  headers?: Record<string, string>;
}

/** The headers that the answer with a file has, and a refusal does not. */
const FILE_HEADERS = ['Accept-Ranges', 'Content-Disposition', 'Content-Type', 'ETag', 'Last-Modified'];

/**
 * Sends a file with `send`: ranges, validators, conditions (RFC 9110 sections 13, 14).
 * @returns when the answer is sent, or the reader has closed the connection
 * @throws the error of {@link refusal}, if the file does not exist or a condition fails
 */
export function sendFile(req: Request, res: Response, { root, path, headers }: SentFile): Promise<void> {
  return new Promise((resolve, reject) => {
    // `send` decodes it once more.
    send(req, toUrlPath(path), { root, index: false, cacheControl: false })
      .on('headers', () => res.set(headers))
      .on('error', (error: Refused) => {
        // `send` has set them by now, for the file and not for the refusal.
        for (const name of FILE_HEADERS) {
          res.removeHeader(name);
        }
        res.set('Cache-Control', 'no-store');
        reject(refusal(error));
      })
      .pipe(res.once('close', resolve));
  });
}

const REFUSALS: Readonly<Record<number, string>> = {
  404: 'Not Found',
  412: 'Precondition Failed',
  416: 'Range Not Satisfiable',
};

/** Makes the error for a missing file or a failed condition, so that it is JSON like every other refusal. */
export function refusal(refused: Refused): Error {
  const { status, headers = {} } = refused;
  const range = headers['Content-Range'];
  const text = REFUSALS[status];
  if (text === undefined) {
    return new Error(`a file could not be sent: ${status}`, { cause: refused });
  }
  return new BadRequestError(text, { status, ...(range && { headers: { 'Content-Range': range } }) });
}
