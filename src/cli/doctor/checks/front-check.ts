import { randomInt } from 'node:crypto';
import type { Config } from '../../../config/config.ts';
import { maxBodyBytes } from '../../../http/uploads/body-size.ts';
import { messageOf, systemErrorCode } from '../../../system/system-errors.ts';
import type { Check } from '../check.ts';
import { judgeClock } from '../clock-difference.ts';
import { error, type Finding, note, warning } from '../finding.ts';
import { type Answer, ask } from '../front/answer.ts';
import { judgeBody } from '../front/large-body.ts';
import { judgeProxies } from '../front/proxy-findings.ts';
import { openStandIn, type StandIn } from '../front/stand-in.ts';
import { tlsFindings } from '../front/tls-findings.ts';
import { whoListens } from '../front/who-listens.ts';

type Named = Finding & { check?: string };

/** The way of callers: from BASE_URL through TLS and proxies to HOST and PORT, where the doctor stands in for the gateway. */
export const frontCheck: Check = {
  name: 'proxies',
  maxMillis: 40_000,
  async *run({ config, clock }, signal) {
    const { baseUrl } = config;
    if (baseUrl === undefined) {
      yield note('BASE_URL is not set, so the way of callers was not looked at.');
      return;
    }
    const standIn = config.port === 0 ? undefined : await openStandIn(config).catch(asFailure);
    try {
      if (standIn instanceof Error) {
        yield await whoListens(config, standIn, signal);
      }
      yield* walk(baseUrl, config, standIn instanceof Error ? undefined : standIn, clock.now(), signal);
    } finally {
      if (standIn && !(standIn instanceof Error)) {
        await standIn.close();
      }
    }
  },
};

const asFailure = (failure: unknown): Error =>
  failure instanceof Error ? failure : new Error(String(failure));

/** From the net that is reserved for documentation (RFC 5737 section 3): no proxy has such an address. */
const forgedAddress = (): string => `203.0.113.${randomInt(1, 255)}`;

/** Every proxy in front of the gateway passes this path on, also one that only moves the legacy paths. */
const PATH = '/api/v1/auth/user';

async function* walk(
  baseUrl: string,
  config: Config,
  standIn: StandIn | undefined,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<Named> {
  yield* judgeScheme(baseUrl, config);
  const url = `${baseUrl}${PATH}?${standIn?.query ?? ''}`;
  const forged = forgedAddress();
  const answer = await ask({ url, headers: { 'X-Forwarded-For': forged } }, signal).catch(
    (failure: unknown) => {
      signal.throwIfAborted();
      return unreachable(baseUrl, failure);
    },
  );
  if ('level' in answer) {
    yield answer;
    return;
  }
  const arrived = standIn?.takeArrived();
  const isFromHere = arrived !== undefined || 'x-request-id' in answer.headers;
  for (const finding of tlsFindings({ baseUrl, answer, now, isFromHere })) {
    yield { check: 'tls', ...finding };
  }
  yield* judgeDate(answer);
  if (standIn && arrived) {
    const isProxied = baseUrl.startsWith('https:') || arrived.hasTraces;
    yield judgeProxies({ ...arrived, forged, isProxied }, config.trustProxy);
    yield await judgeBody(url, maxBodyBytes(config.maxFileBytes), standIn, signal);
  } else if (standIn) {
    yield passedBy(answer, config);
  }
}

/** What the setting alone tells. */
function* judgeScheme(baseUrl: string, { mode, trustProxy }: Config): Generator<Named> {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isNear) {
    const text = 'BASE_URL is http: passwords and tokens travel in clear.';
    const todo =
      'Put a proxy with TLS in front, and set BASE_URL to https://…: docs/operations.md, "Proxy and TLS".';
    yield { check: 'tls', ...(mode === 'production' ? error(text, todo) : warning(text, todo)) };
  }
  if (protocol === 'https:' && trustProxy === false) {
    yield error(
      'BASE_URL is https, so a proxy is in front, and TRUST_PROXY is off: all callers share its address and its limits.',
      'Set TRUST_PROXY to the number of proxies: docs/operations.md, "Proxy and TLS".',
    );
  }
}

function unreachable(baseUrl: string, failure: unknown): Finding {
  const code = systemErrorCode(failure) ?? '';
  const text = `Nothing answers at BASE_URL, ${baseUrl}: ${messageOf(failure) || code}.`;
  return error(text, 'Check its name, the proxy, and that this machine can reach it as callers do.');
}

/** The header has whole seconds. */
const STEP_MILLIS = 1_000;

function* judgeDate({ headers: { date }, askedAtMillis, answeredAtMillis }: Answer): Generator<Named> {
  const atMillis = Date.parse(date ?? '');
  if (!Number.isNaN(atMillis)) {
    const times = { atMillis, stepMillis: STEP_MILLIS, askedAtMillis, answeredAtMillis };
    yield { check: 'clock', ...judgeClock({ of: 'the server at BASE_URL', ...times }) };
  }
}

function passedBy({ status, headers }: Answer, { host, port }: Config): Finding {
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
