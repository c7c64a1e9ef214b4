import { countedAddress } from '../../../api/http/request-caller.ts';
import type { TrustProxy } from '../../../config/caller-settings.ts';
import { error, type Finding, ok, warning } from '../finding.ts';

/** What arrived of a request that was sent to BASE_URL with a forged X-Forwarded-For. */
export interface Arrival {
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

const SHARED = 'All callers share one address: one attacker uses up the limits of everybody.';

/** Judges TRUST_PROXY by a request that has come the way of callers. */
export function judgeProxies(arrival: Arrival, trustProxy: TrustProxy): Finding {
  const { forged, forwarded, peer, counted, isPeerTrusted } = arrival;
  const addresses = [...listed(forwarded), peer];
  const added = addresses.slice(addresses.indexOf(forged) + 1);
  if (counted === forged) {
    return error(
      'Callers can choose the address that they are counted by: a forged X-Forwarded-For arrived and was believed.',
      'Let the outermost proxy replace X-Forwarded-For, and set TRUST_PROXY to the number of proxies that add to it. Without a proxy, remove TRUST_PROXY.',
    );
  }
  if (trustProxy === false) {
    return withoutTrust(arrival, added);
  }
  if (added.length < 2) {
    return error(
      `TRUST_PROXY is set, but no X-Forwarded-For arrives from ${peer}. ${SHARED}`,
      'Let the proxy set X-Forwarded-For to the address of the caller (nginx: $remote_addr).',
    );
  }
  if (!isPeerTrusted) {
    return error(
      `TRUST_PROXY does not have the proxy's address, ${peer}. ${SHARED}`,
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
        `There is a proxy in front, and TRUST_PROXY is off. ${SHARED}`,
        'Set TRUST_PROXY to the number of proxies: docs/operations.md, "Proxy and TLS".',
      )
    : ok('There is no proxy in front, and TRUST_PROXY is off: the address of the connection counts.');
}

/** @param added the addresses that proxies have put behind the forged one, and that of the last proxy */
function withTrust(added: string[], counted: string): Finding {
  const before = added.slice(0, Math.max(0, added.indexOf(counted)));
  if (before.length === 0) {
    return ok(
      `A forged X-Forwarded-For is ignored; the doctor counts as ${counted}. Check that this is its address.`,
    );
  }
  return warning(
    `TRUST_PROXY makes the doctor count as ${counted}, but a proxy has seen it come from ${before.join(', ')}.`,
    'If all of these are proxies of yours, count them in TRUST_PROXY, too.',
  );
}
