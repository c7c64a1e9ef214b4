import http from 'node:http';
import https from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { strictTransportSecurity } from '../../api/http/browsers.ts';
import type { Config } from '../../config/config.ts';
import { DAY_MILLIS } from '../../system/calendar.ts';
import { messageOf, systemErrorCode } from '../../system/system-errors.ts';
import { error, type Finding, note, ok, warning } from './check.ts';
import { judgeClock } from './clock-difference.ts';

/** The headers of a response from BASE_URL, and its TLS. */
export interface ProbeResponse {
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
interface ProbeRequest {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string | number>;
  /** The first bytes of a body that is never finished. */
  beginOfBody?: Buffer;
}

const MAX_WAIT_MILLIS = 10_000;

/**
 * Sends a request, and reads no more than the headers of the response.
 * @throws the error of the connection; one after 10 s
 */
export function probe(
  { url, method = 'GET', headers = {}, beginOfBody }: ProbeRequest,
  signal: AbortSignal,
): Promise<ProbeResponse> {
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

function tlsOf(socket: TLSSocket): NonNullable<ProbeResponse['tls']> {
  const refusal = socket.authorized ? undefined : refusalOf(socket.authorizationError);
  return { certificate: socket.getPeerCertificate(), refusal, protocol: socket.getProtocol() };
}

/** An error, or only its code: Node's types and its behaviour differ. */
const refusalOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure ? String(failure.code) : String(failure);

/** @param baseUrl BASE_URL */
export function* schemeFindings(baseUrl: string, { mode }: Config): Generator<Finding> {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isNear) {
    const text = 'BASE_URL is http: passwords and tokens are sent unencrypted.';
    const todo =
      'Put a proxy with TLS in front of the gateway, and set BASE_URL to https://…: docs/operations.md, "Proxy and TLS".';
    yield mode === 'production' ? error(text, todo) : warning(text, todo);
  }
}

/** @param failure of the connection */
export function unreachable(baseUrl: string, failure: unknown): Finding {
  const code = systemErrorCode(failure) ?? '';
  const text = `Nothing answers at BASE_URL, ${baseUrl}: ${messageOf(failure) || code}.`;
  return error(
    text,
    'Check the host name and the proxy, and that this machine can reach the address as callers do.',
  );
}

/** The header has whole seconds. */
const STEP_MILLIS = 1_000;

/** Compares the clocks, if the answer has a time. */
export function* dateFindings({
  headers: { date },
  askedAtMillis,
  answeredAtMillis,
}: ProbeResponse): Generator<Finding> {
  const atMillis = Date.parse(date ?? '');
  if (!Number.isNaN(atMillis)) {
    const times = { atMillis, stepMillis: STEP_MILLIS, askedAtMillis, answeredAtMillis };
    yield judgeClock({ of: 'the server at BASE_URL', ...times });
  }
}

/** Why no request has reached the checker, by the answer that came instead. */
export function passedBy({ status, headers }: ProbeResponse, { host, port }: Config): Finding {
  const where = `${host}:${port} (HOST, PORT)`;
  if (status >= 300 && status < 400) {
    return warning(
      `BASE_URL answers with a redirect (${status}).`,
      'Set BASE_URL to the address in the redirect.',
    );
  }
  if (status >= 502 && status <= 504) {
    return error(
      `The proxy at BASE_URL cannot reach the gateway: ${status}.`,
      `Configure the proxy to send requests to ${where}.`,
    );
  }
  const who = 'x-request-id' in headers ? 'Another gateway' : 'Another server';
  const todo = `If the proxy balances requests over several gateways, let it use only this one and run the checker again. Otherwise configure it to send requests to ${where}.`;
  return warning(`${who} answered at BASE_URL (${status}), so TRUST_PROXY could not be checked.`, todo);
}

/** Certificates that renew themselves do so a month before their end (Let's Encrypt, by its recommendation). */
const SOON_DAYS = 14;

const RENEW = 'Renew it, and find out why it was not renewed automatically.';

/** What callers meet at BASE_URL. */
interface Front {
  baseUrl: string;
  response: Pick<ProbeResponse, 'tls' | 'headers'>;
  /** In milliseconds since the epoch. */
  now: number;
  /** True if the answer came from a gateway or from the checker in its place. */
  isFromHere: boolean;
}

/** The certificate of BASE_URL, and whether browsers are told to insist on https. */
export function* tlsFindings({ baseUrl, response, now, isFromHere }: Front): Generator<Finding> {
  if (response.tls) {
    yield judgeCertificate(response.tls, now);
    yield judgeStrictness(baseUrl, response.headers['strict-transport-security'], isFromHere);
  }
}

function judgeCertificate(
  { certificate, refusal, protocol }: NonNullable<ProbeResponse['tls']>,
  now: number,
): Finding {
  const end = Date.parse(certificate.valid_to);
  const date = Number.isNaN(end) ? 'an unknown day' : new Date(end).toISOString().slice(0, 10);
  if (end <= now) {
    return error(`The certificate of BASE_URL expired on ${date}.`, RENEW);
  }
  if (refusal !== undefined) {
    const todo =
      'Give the proxy a certificate for this name with the whole chain. For a private certificate authority, set NODE_EXTRA_CA_CERTS.';
    return error(`Callers refuse the certificate of BASE_URL: ${refusal}.`, todo);
  }
  const days = Math.floor((end - now) / DAY_MILLIS);
  return days < SOON_DAYS
    ? warning(`The certificate of BASE_URL expires in ${days} days, on ${date}.`, RENEW)
    : ok(`The certificate of BASE_URL is valid for ${days} more days (${protocol ?? 'TLS'}).`);
}

function judgeStrictness(baseUrl: string, header: string | undefined, isFromHere: boolean): Finding {
  if (header === strictTransportSecurity(baseUrl)) {
    return ok('Browsers are told to use only https (HSTS).');
  }
  if (header !== undefined) {
    return note(`A proxy replaces the HSTS header of the gateway: ${header.slice(0, 100)}`);
  }
  return isFromHere
    ? warning(
        'The HSTS header of the gateway does not reach callers.',
        'Configure the proxy to pass on the header Strict-Transport-Security.',
      )
    : note('HSTS could not be checked, because the gateway did not answer.');
}
