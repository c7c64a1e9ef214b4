import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { strictTransportSecurity } from '../../api/http/browsers.ts';
import { countedAddress } from '../../api/http/request-caller.ts';
import type { TrustProxy } from '../../config/caller-settings.ts';
import type { Config } from '../../config/config.ts';
import { isFromTrustedProxy } from '../../patches/trusted-proxy.ts';
import { error, type Finding, ok, warning } from './check.ts';

/** What arrived of a request of the checker. */
type ArrivedRequest = Omit<Arrival, 'forged' | 'isProxied'> & { hasTraces: boolean };

/** A server on HOST and PORT in the place of the gateway. It serves nobody but the checker. */
export interface StandIn {
  /** The query of requests that it answers. All others get 503, as from a gateway that is not ready. */
  query: string;
  /** The last request of the checker that nobody has taken. */
  takeArrived(): ArrivedRequest | undefined;
  /** Resolves when the headers of the checker's next request arrive. */
  nextArrival(): Promise<void>;
  close(): Promise<void>;
}

/** Headers that only proxies add. */
const TRACES = ['via', 'forwarded', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip'];

/** @throws the error of the system, such as EADDRINUSE */
export async function openStandIn({ host, port, trustProxy, baseUrl }: Config): Promise<StandIn> {
  const nonce = randomBytes(12).toString('hex');
  const arrivals = new EventEmitter();
  let last: ArrivedRequest | undefined;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);
  app.use((req, res) => {
    const strict = strictTransportSecurity(baseUrl);
    if (strict !== undefined) {
      res.set('Strict-Transport-Security', strict);
    }
    if (req.query.doctor !== nonce) {
      res.status(503).set('Retry-After', '10').json({ message: 'Service Unavailable' });
      return;
    }
    last = {
      forwarded: req.get('X-Forwarded-For'),
      peer: countedAddress(req.socket.remoteAddress ?? ''),
      isPeerTrusted: isFromTrustedProxy(req),
      counted: countedAddress(req.ip ?? ''),
      hasTraces: TRACES.some((name) => req.get(name) !== undefined),
    };
    arrivals.emit('arrival');
    if (req.method === 'GET') {
      res.set('Cache-Control', 'no-store').json({ doctor: nonce });
    }
  });
  const server = createServer(app);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    query: `doctor=${nonce}`,
    takeArrived: () => {
      const taken = last;
      last = undefined;
      return taken;
    },
    nextArrival: async () => void (await once(arrivals, 'arrival')),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** What arrived of a request that was sent to BASE_URL with a forged X-Forwarded-For. */
interface Arrival {
  /** The address that was forged. */
  forged: string;
  /** The X-Forwarded-For that arrived. */
  forwarded: string | undefined;
  /** The address of the socket. */
  peer: string;
  /** True if TRUST_PROXY covers it. */
  isPeerTrusted: boolean;
  /** The address that the gateway would count attempts by, with TRUST_PROXY. */
  counted: string;
  /** True if there is a proxy for other reasons than X-Forwarded-For, such as TLS, which the gateway does not speak. */
  isProxied: boolean;
}

const SHARED = 'All callers share one address, so one attacker can use up the limits of everybody.';

/** Judges TRUST_PROXY by a request that has come on the path of callers. */
export function judgeProxies(arrival: Arrival, trustProxy: TrustProxy): Finding {
  const { forged, forwarded, peer, counted, isPeerTrusted } = arrival;
  const addresses = [...listed(forwarded), peer];
  const added = addresses.slice(addresses.indexOf(forged) + 1);
  if (counted === forged) {
    return error(
      'Callers can choose the address that limits count: the gateway accepts a forged X-Forwarded-For header.',
      'Configure the outermost proxy to replace X-Forwarded-For, and set TRUST_PROXY to the number of proxies that add to it. If there is no proxy, remove TRUST_PROXY.',
    );
  }
  if (trustProxy === false) {
    return withoutTrust(arrival, added);
  }
  if (added.length < 2) {
    return error(
      `TRUST_PROXY is set, but no X-Forwarded-For arrives from ${peer}. ${SHARED}`,
      'Configure the proxy to set X-Forwarded-For to the address of the caller (nginx: $remote_addr).',
    );
  }
  if (!isPeerTrusted) {
    return error(
      `TRUST_PROXY does not include the address of the proxy, ${peer}. ${SHARED}`,
      `Add ${peer} to TRUST_PROXY.`,
    );
  }
  return withTrust(added, counted);
}

const listed = (forwarded: string | undefined): string[] =>
  (forwarded ?? '')
    .split(',')
    .map((address) => countedAddress(address.trim()))
    .filter((address) => address !== '');

function withoutTrust({ isProxied }: Arrival, added: string[]): Finding {
  return isProxied || added.length > 1
    ? error(
        `There is a proxy in front of the gateway, but TRUST_PROXY is off. ${SHARED}`,
        'Set TRUST_PROXY to the number of proxies: docs/operations.md, "Proxy and TLS".',
      )
    : ok(
        'There is no proxy in front of the gateway, and TRUST_PROXY is off: limits count the address of the connection.',
      );
}

/** @param added the addresses that proxies have put behind the forged one, and that of the last proxy */
function withTrust(added: string[], counted: string): Finding {
  const before = added.slice(0, Math.max(0, added.indexOf(counted)));
  if (before.length === 0) {
    return ok(
      `A forged X-Forwarded-For header is ignored. The gateway sees the checker at ${counted}: check that this is the address of this machine.`,
    );
  }
  return warning(
    `With TRUST_PROXY, the gateway sees the checker at ${counted}, but a proxy has seen it at ${before.join(', ')}.`,
    'If all of these are your own proxies, include them in TRUST_PROXY.',
  );
}
