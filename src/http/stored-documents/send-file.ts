import type { Request, Response } from 'express';
import send from 'send';
import { BadRequestError } from '../../errors/errors.ts';

export const SECONDS_OF_A_YEAR = 31_536_000;

/** A file to send. */
export interface SentFile {
  /** Nothing outside of this folder is ever sent. */
  root: string;
  /** Its path below the root: a name of our own, in which there is nothing to decode. */
  path: string;
  /** What the answer says beside what follows from the file itself. */
  headers: Record<string, string>;
}

/** What `send` or a store says in place of a file. */
export interface Refused {
  status: number;
  headers?: Record<string, string>;
}

/** The headers that a file's answer has and a refusal's has not. */
const FILE_HEADERS = ['Accept-Ranges', 'Content-Disposition', 'Content-Type', 'ETag', 'Last-Modified'];

/**
 * Sends a file as `send` does it: ranges, validators, conditions (RFC 9110 sections 13, 14).
 * @returns when the answer is out, or the reader has gone
 * @throws what {@link refusal} makes of a file that is not there or a condition that does not hold
 */
export function sendFile(req: Request, res: Response, { root, path, headers }: SentFile): Promise<void> {
  return new Promise((resolve, reject) => {
    send(req, path, { root, index: false, cacheControl: false })
      .on('headers', () => res.set(headers))
      .on('error', (error: Refused) => {
        // By now they are set, and are the file's, not the refusal's.
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

/** Conditions that do not hold, as JSON like every other refusal. */
export function refusal(refused: Refused): Error {
  const { status, headers = {} } = refused;
  const range = headers['Content-Range'];
  const text = REFUSALS[status];
  if (text === undefined) {
    return new Error(`a file could not be sent: ${status}`, { cause: refused });
  }
  return new BadRequestError(text, { status, ...(range && { headers: { 'Content-Range': range } }) });
}
