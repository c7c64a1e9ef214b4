import type { IncomingMessage } from 'node:http';
import { textOf } from './bounded-text.ts';
import { elementOf } from './xml.ts';

/** Far more than any error has. */
const MAX_ERROR_BYTES = 65_536;

/** An answer of the server other than success. */
export class S3Error extends Error {
  /** True if the request was refused for its time, and the next one will have the right one. */
  clockCorrected = false;

  /**
   * @param status the HTTP status
   * @param code the server's name of the error, such as `NoSuchBucket`; answers to HEAD have none
   */
  constructor(
    readonly status: number,
    code: string | undefined,
  ) {
    super(`the S3 server answered ${status}${code === undefined ? '' : ` (${code})`}`);
    this.name = code ?? 'S3Error';
  }
}

/** Reads an answer that is no success, and ends it. Only the code of the error is kept: the rest may contain the access key. */
export async function readError(answer: IncomingMessage): Promise<S3Error> {
  const status = answer.statusCode ?? 0;
  const text = await textOf(answer, MAX_ERROR_BYTES).catch(() => '');
  // An upload may still be under way on this connection.
  answer.destroy();
  const code = elementOf(text, 'Code');
  return new S3Error(status, code !== undefined && /^[\w.]{1,64}$/.test(code) ? code : undefined);
}
