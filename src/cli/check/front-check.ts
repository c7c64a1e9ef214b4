import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { maxBodyBytes } from '../../api/http/request-limits.ts';
import type { Config } from '../../config/config.ts';
import { messageOf, systemErrorCode } from '../../system/system-errors.ts';
import {
  dateFindings,
  type ProbeResponse,
  passedBy,
  probe,
  schemeFindings,
  tlsFindings,
  unreachable,
} from './base-url.ts';
import { asError, type Check, error, type Finding, note, ok, warning } from './check.ts';
import { sizeOf } from './disk-check.ts';
import { judgeProxies, openStandIn, type StandIn } from './trust-proxy.ts';

type Named = Finding & { check?: string };

/** The path of callers: from BASE_URL through TLS and proxies to HOST and PORT, where the checker stands in for the gateway. */
export const frontCheck: Check = {
  name: 'proxies',
  maxMillis: 40_000,
  async *run({ config, clock }, signal) {
    const { baseUrl } = config;
    if (baseUrl === undefined) {
      yield note('BASE_URL is not set, so proxies and TLS were not checked.');
      return;
    }
    const opened = config.port === 0 ? undefined : await openStandIn(config).catch(asError);
    const standIn = opened instanceof Error ? undefined : opened;
    try {
      if (opened instanceof Error) {
        yield await whoListens(config, opened, signal);
      }
      yield* checkPath({ baseUrl, config, standIn, now: clock.now(), signal });
    } finally {
      await standIn?.close();
    }
  },
};

/** What the check of the path knows. */
interface CallerPath {
  baseUrl: string;
  config: Config;
  /** undefined if the checker cannot listen on HOST and PORT. */
  standIn: StandIn | undefined;
  /** In milliseconds since the epoch. */
  now: number;
  signal: AbortSignal;
}

/** From the net that is reserved for documentation (RFC 5737 section 3): no proxy has such an address. */
const forgedAddress = (): string => `203.0.113.${randomInt(1, 255)}`;

/** Every proxy in front of the gateway passes this path on, also one that only moves the legacy paths. */
const PATH = '/api/v1/auth/user';

async function* checkPath(callerPath: CallerPath): AsyncGenerator<Named> {
  const { baseUrl, config, standIn, signal } = callerPath;
  yield* named('tls', schemeFindings(baseUrl, config));
  const url = `${baseUrl}${PATH}?${standIn?.query ?? ''}`;
  const forged = forgedAddress();
  const request = { url, headers: { 'X-Forwarded-For': forged } };
  const response = await probe(request, signal).catch((failure: unknown) => unreachable(baseUrl, failure));
  signal.throwIfAborted();
  if ('level' in response) {
    yield response;
    return;
  }
  const arrived = standIn?.takeArrived();
  const isFromHere = arrived !== undefined || 'x-request-id' in response.headers;
  yield* named('tls', tlsFindings({ baseUrl, response, now: callerPath.now, isFromHere }));
  yield* named('clock', dateFindings(response));
  if (standIn && arrived) {
    const isProxied = baseUrl.startsWith('https:') || arrived.hasTraces;
    yield judgeProxies({ ...arrived, forged, isProxied }, config.trustProxy);
    yield await judgeBody(url, maxBodyBytes(config.maxFileBytes), standIn, signal);
  } else {
    yield* withoutArrival(callerPath, response);
  }
}

function* named(check: string, findings: Iterable<Finding>): Generator<Named> {
  for (const finding of findings) {
    yield { check, ...finding };
  }
}

/** What is known about proxies without a request that has arrived. */
function* withoutArrival(
  { baseUrl, config, standIn }: CallerPath,
  response: ProbeResponse,
): Generator<Finding> {
  if (standIn) {
    yield passedBy(response, config);
  }
  if (baseUrl.startsWith('https:') && config.trustProxy === false) {
    yield error(
      'BASE_URL is https, so there is a proxy, but TRUST_PROXY is off: all callers share the address of the proxy, and its limits.',
      'Set TRUST_PROXY to the number of proxies: docs/operations.md, "Proxy and TLS".',
    );
  }
}

const WILDCARDS = new Set(['0.0.0.0', '::']);

/** Why the checker cannot stand in for the gateway: it runs, another program has its port, or nobody may listen there. */
async function whoListens(config: Config, failure: Error, signal: AbortSignal): Promise<Finding> {
  const { host, port, baseUrl } = config;
  if (systemErrorCode(failure) !== 'EADDRINUSE') {
    const todo = 'Check HOST and PORT. Ports below 1024 need a special permission (CAP_NET_BIND_SERVICE).';
    return error(`The gateway cannot listen on ${host}:${port}: ${messageOf(failure)}.`, todo);
  }
  const name = WILDCARDS.has(host) ? '127.0.0.1' : host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}/healthz`;
  const response = await probe({ url }, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (response?.headers['x-request-id'] === undefined) {
    return error(
      `Another program uses the port ${host}:${port}, so the gateway cannot start.`,
      'Stop that program, or change PORT.',
    );
  }
  return note(
    'A gateway runs on HOST and PORT, so the checker could not see what arrives there.',
    `Stop it and run the checker again. Or run curl -H "X-Forwarded-For: 203.0.113.7" ${baseUrl}/api/v1/auth/user (the answer is 404), and look at ip in the log of the gateway: it must be your address.`,
  );
}

/** A proxy that passes bodies through sends the headers on at once. */
const MAX_WAIT_MILLIS = 3_000;

const CONTENT_TOO_LARGE = 413;

/**
 * Begins an upload of the largest size, and looks whether its beginning arrives.
 * @param bytes the largest body that the gateway takes
 */
async function judgeBody(
  url: string,
  bytes: number,
  standIn: StandIn,
  signal: AbortSignal,
): Promise<Finding> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  const headers = { 'Content-Length': bytes, 'Content-Type': 'application/octet-stream' };
  const request = { url, method: 'POST', headers, beginOfBody: Buffer.alloc(1) } as const;
  const arrived = standIn.nextArrival().then(() => 'arrived' as const);
  const refused = probe(request, either).then(
    ({ status }) => status,
    () => 'failed' as const,
  );
  const silence = wait(MAX_WAIT_MILLIS, 'silent' as const, { signal: either }).catch(() => 'silent' as const);
  const outcome = await Promise.race([arrived, refused, silence]).finally(() => over.abort());
  signal.throwIfAborted();
  return judge(outcome, sizeOf(bytes));
}

function judge(outcome: 'arrived' | 'failed' | 'silent' | number, size: string): Finding {
  switch (outcome) {
    case 'arrived':
      return ok(`Uploads of ${size}, the largest size, reach the gateway without being buffered.`);
    case 'silent':
      return warning(
        'The proxy buffers each upload before it passes it on: slow uploads fill its disk, and the limits of the gateway apply late.',
        'Turn buffering off (nginx: proxy_request_buffering off).',
      );
    case CONTENT_TOO_LARGE:
      return error(
        `The proxy refuses uploads of ${size}, which MAX_FILE_BYTES allows.`,
        `Raise its limit to ${size} (nginx: client_max_body_size), or lower MAX_FILE_BYTES.`,
      );
    default:
      return warning(
        `The proxy does not pass on an upload of ${size} (${outcome === 'failed' ? 'it closes the connection' : outcome}).`,
        'Check the limits of the proxy for the size and the duration of an upload.',
      );
  }
}
