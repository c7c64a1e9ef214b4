import type { Config } from '../../../config/config.ts';
import { messageOf, systemErrorCode } from '../../../system/system-errors.ts';
import { judgeClock } from '../clock-difference.ts';
import { error, type Finding, warning } from '../finding.ts';
import type { Answer } from './answer.ts';

/** @param baseUrl BASE_URL */
export function* schemeFindings(baseUrl: string, { mode }: Config): Generator<Finding> {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isNear) {
    const text = 'BASE_URL is http: passwords and tokens travel in clear.';
    const todo =
      'Put a proxy with TLS in front, and set BASE_URL to https://…: docs/operations.md, "Proxy and TLS".';
    yield mode === 'production' ? error(text, todo) : warning(text, todo);
  }
}

/** @param failure of the connection */
export function unreachable(baseUrl: string, failure: unknown): Finding {
  const code = systemErrorCode(failure) ?? '';
  const text = `Nothing answers at BASE_URL, ${baseUrl}: ${messageOf(failure) || code}.`;
  return error(text, 'Check its name, the proxy, and that this machine can reach it as callers do.');
}

/** The header has whole seconds. */
const STEP_MILLIS = 1_000;

/** Compares the clocks, if the answer has a time. */
export function* dateFindings({
  headers: { date },
  askedAtMillis,
  answeredAtMillis,
}: Answer): Generator<Finding> {
  const atMillis = Date.parse(date ?? '');
  if (!Number.isNaN(atMillis)) {
    const times = { atMillis, stepMillis: STEP_MILLIS, askedAtMillis, answeredAtMillis };
    yield judgeClock({ of: 'the server at BASE_URL', ...times });
  }
}

/** Why no request has reached the doctor, by the answer that came instead. */
export function passedBy({ status, headers }: Answer, { host, port }: Config): Finding {
  const where = `${host}:${port} (HOST, PORT)`;
  if (status >= 300 && status < 400) {
    return warning(
      `BASE_URL answers with a redirect (${status}).`,
      'Set BASE_URL to the address that it leads to.',
    );
  }
  if (status >= 502 && status <= 504) {
    return error(
      `The proxy at BASE_URL cannot reach the gateway: ${status}.`,
      `Let it send requests to ${where}.`,
    );
  }
  const who = 'x-request-id' in headers ? 'Another gateway' : 'Something else';
  const todo = `If the proxy spreads requests over several gateways, run the doctor with only this one; else let it send them to ${where}.`;
  return warning(`${who} has answered at BASE_URL (${status}), so TRUST_PROXY could not be checked.`, todo);
}
