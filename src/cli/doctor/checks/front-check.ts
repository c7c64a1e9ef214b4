import { randomInt } from 'node:crypto';
import { maxBodyBytes } from '../../../api/http/request-limits.ts';
import type { Config } from '../../../config/config.ts';
import type { Check } from '../check.ts';
import { asError, error, type Finding, note } from '../finding.ts';
import { dateFindings, passedBy, schemeFindings, unreachable } from '../front/address-findings.ts';
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
      yield note('BASE_URL is not set, so proxies and TLS were not checked.');
      return;
    }
    const opened = config.port === 0 ? undefined : await openStandIn(config).catch(asError);
    const standIn = opened instanceof Error ? undefined : opened;
    try {
      if (opened instanceof Error) {
        yield await whoListens(config, opened, signal);
      }
      yield* walk({ baseUrl, config, standIn, now: clock.now(), signal });
    } finally {
      await standIn?.close();
    }
  },
};

/** What the way is walked with. */
interface Walk {
  baseUrl: string;
  config: Config;
  /** undefined if the doctor cannot listen on HOST and PORT. */
  standIn: StandIn | undefined;
  /** In milliseconds since the epoch. */
  now: number;
  signal: AbortSignal;
}

/** From the net that is reserved for documentation (RFC 5737 section 3): no proxy has such an address. */
const forgedAddress = (): string => `203.0.113.${randomInt(1, 255)}`;

/** Every proxy in front of the gateway passes this path on, also one that only moves the legacy paths. */
const PATH = '/api/v1/auth/user';

async function* walk(way: Walk): AsyncGenerator<Named> {
  const { baseUrl, config, standIn, signal } = way;
  yield* named('tls', schemeFindings(baseUrl, config));
  const url = `${baseUrl}${PATH}?${standIn?.query ?? ''}`;
  const forged = forgedAddress();
  const question = { url, headers: { 'X-Forwarded-For': forged } };
  const answer = await ask(question, signal).catch((failure: unknown) => unreachable(baseUrl, failure));
  signal.throwIfAborted();
  if ('level' in answer) {
    yield answer;
    return;
  }
  const arrived = standIn?.takeArrived();
  const isFromHere = arrived !== undefined || 'x-request-id' in answer.headers;
  yield* named('tls', tlsFindings({ baseUrl, answer, now: way.now, isFromHere }));
  yield* named('clock', dateFindings(answer));
  if (standIn && arrived) {
    const isProxied = baseUrl.startsWith('https:') || arrived.hasTraces;
    yield judgeProxies({ ...arrived, forged, isProxied }, config.trustProxy);
    yield await judgeBody(url, maxBodyBytes(config.maxFileBytes), standIn, signal);
  } else {
    yield* withoutArrival(way, answer);
  }
}

function* named(check: string, findings: Iterable<Finding>): Generator<Named> {
  for (const finding of findings) {
    yield { check, ...finding };
  }
}

/** What is known about proxies without a request that has arrived. */
function* withoutArrival({ baseUrl, config, standIn }: Walk, answer: Answer): Generator<Finding> {
  if (standIn) {
    yield passedBy(answer, config);
  }
  if (baseUrl.startsWith('https:') && config.trustProxy === false) {
    yield error(
      'BASE_URL is https, so a proxy is in front, and TRUST_PROXY is off: all callers share its address and its limits.',
      'Set TRUST_PROXY to the number of proxies: docs/operations.md, "Proxy and TLS".',
    );
  }
}
