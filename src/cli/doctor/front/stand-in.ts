import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { strictTransportSecurity } from '../../../api/http/browsers.ts';
import { countedAddress } from '../../../api/http/request-caller.ts';
import type { Config } from '../../../config/config.ts';
import { isFromTrustedProxy } from '../../../patches/trusted-proxy.ts';
import type { Arrival } from './proxy-findings.ts';

/** What arrived of a request of the doctor. */
type ArrivedRequest = Omit<Arrival, 'forged' | 'isProxied'> & { hasTraces: boolean };

/** A server on HOST and PORT in the place of the gateway. It serves nobody but the doctor. */
export interface StandIn {
  /** The query of requests that it answers. All others get 503, as from a gateway that is not ready. */
  query: string;
  /** The last request of the doctor that nobody has taken. */
  takeArrived(): ArrivedRequest | undefined;
  /** Resolves when the headers of the doctor's next request arrive. */
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
