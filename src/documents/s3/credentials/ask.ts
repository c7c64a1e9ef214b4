import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { textOf } from '../bounded-text.ts';
import type { AwsCredentials } from './aws-credentials.ts';

/** A request for a document waits for this, too. */
const ASK_MILLIS = 2_000;
const MAX_ANSWER_BYTES = 65_536;

/** An answer of a service that has credentials. */
interface Answer {
  status: number;
  text: string;
}

/**
 * Asks a service that has credentials.
 * @param what the service, for the text of an error
 * @throws Error without any part of the request or of the answer, which are secrets
 */
export async function ask(what: string, url: string | URL, init: RequestInit = {}): Promise<Answer> {
  const request = requestTo(what, url, init);
  try {
    const response = await fetch(request);
    const body = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([]);
    return { status: response.status, text: await textOf(body, MAX_ANSWER_BYTES) };
  } catch (error) {
    throw new Error(`${what} cannot be asked for credentials`, { cause: error });
  }
}

function requestTo(what: string, url: string | URL, init: RequestInit): Request {
  try {
    return new Request(url, { ...init, signal: AbortSignal.timeout(ASK_MILLIS), redirect: 'error' });
  } catch {
    // The cause would quote the token, or the address with a password in it.
    throw new Error(`${what} cannot be asked for credentials: its address or token cannot be sent`);
  }
}

/** @throws Error if the service has refused */
export async function askSuccessfully(what: string, url: string | URL, init?: RequestInit): Promise<string> {
  const { status, text } = await ask(what, url, init);
  if (status !== 200) {
    throw new Error(`${what} answered ${status} when asked for credentials`);
  }
  return text;
}

/** Reads the JSON in which containers and machines get credentials. @throws Error if it is something else */
export function credentialsInJson(what: string, json: string): AwsCredentials {
  let sent: Record<string, unknown>;
  try {
    sent = Object(JSON.parse(json));
  } catch {
    sent = {};
  }
  return checked(what, [sent.AccessKeyId, sent.SecretAccessKey, sent.Token, sent.Expiration]);
}

/** @throws Error unless all four parts of temporary credentials are there */
export function checked(what: string, parts: unknown[]): AwsCredentials {
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = parts.map((part) =>
    typeof part === 'string' && part !== '' ? part : undefined,
  );
  const expiresAt = Date.parse(expiration ?? '');
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAt)) {
    throw new Error(`${what} has answered without credentials`);
  }
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt };
}
