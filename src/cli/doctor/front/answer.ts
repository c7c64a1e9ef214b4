import http from 'node:http';
import https from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';

/** The headers of an answer from BASE_URL, and its TLS. */
export interface Answer {
  status: number;
  /** Values of a header that came more than once are joined, as RFC 9110 section 5.3 has it. */
  headers: Readonly<Record<string, string | undefined>>;
  /** This machine's time before and after. */
  askedAtMillis: number;
  answeredAtMillis: number;
  /** undefined for http. */
  tls: { certificate: PeerCertificate; refusal: string | undefined; protocol: string | null } | undefined;
}

/** A request without credentials. */
interface Question {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string | number>;
  /** The first bytes of a body that is never finished. */
  beginOfBody?: Buffer;
}

const MAX_WAIT_MILLIS = 10_000;

/**
 * Asks, and reads no more than the headers of the answer.
 * @throws the error of the connection; one after 10 s
 */
export function ask(
  { url, method = 'GET', headers = {}, beginOfBody }: Question,
  signal: AbortSignal,
): Promise<Answer> {
  const askedAtMillis = Date.now();
  // Nothing secret is sent. A certificate that is not valid is a finding, so it must not end the connection.
  const options = {
    method,
    headers,
    signal,
    agent: false,
    timeout: MAX_WAIT_MILLIS,
    rejectUnauthorized: false,
  } as const;
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? https : http).request(url, options);
    const tooLate = setTimeout(() => request.destroy(new Error('no answer within 10 s')), MAX_WAIT_MILLIS);
    request.once('close', () => {
      clearTimeout(tooLate);
      // Node reports neither an answer nor an error for one that switches to another protocol.
      reject(new Error('the connection was closed without an answer'));
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const { statusCode: status = 0, socket } = response;
      const joined = Object.entries(response.headersDistinct).map(([name, values]) => [
        name,
        values?.join(', '),
      ]);
      const tls = 'getPeerCertificate' in socket ? tlsOf(socket as TLSSocket) : undefined;
      resolve({
        status,
        headers: Object.fromEntries(joined),
        askedAtMillis,
        answeredAtMillis: Date.now(),
        tls,
      });
      response.destroy();
    });
    if (beginOfBody) {
      request.write(beginOfBody);
    } else {
      request.end();
    }
  });
}

function tlsOf(socket: TLSSocket): NonNullable<Answer['tls']> {
  const refusal = socket.authorized ? undefined : refusalOf(socket.authorizationError);
  return { certificate: socket.getPeerCertificate(), refusal, protocol: socket.getProtocol() };
}

/** An error, or only its code: Node's types and its behaviour differ. */
const refusalOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : String(failure);
