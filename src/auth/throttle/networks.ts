/** The networks around an address. One attacker may own all of such a network. */
export interface Networks {
  /** The /56 of a home line (RFC 6177 section 2); undefined for IPv4. */
  line: string | undefined;
  /** The /48 of a site or a tunnel, or the /24, the smallest IPv4 network that is routed by itself. */
  block: string | undefined;
}

const IPV4 = /^(\d+\.\d+\.\d+)\.\d+$/;
const IPV6 = /^([\da-f]+:[\da-f]+:[\da-f]+):([\da-f]+)::\/64$/;

/**
 * The network that counts as one sender: an IPv4 address, or the whole /48 of an IPv6 address. One IPv6 line has hundreds
 * of /64 networks to send from.
 * @param ip as {@link networksOf} takes it
 */
export function siteOf(ip: string): string {
  const { line, block } = networksOf(ip);
  return line === undefined ? ip : (block ?? ip);
}

/**
 * The networks around a caller.
 * @param ip an IPv4 address or the /64 of an IPv6 address, in canonical form; anything else is in no network
 */
export function networksOf(ip: string): Networks {
  const [, ipv4Block] = IPV4.exec(ip) ?? [];
  if (ipv4Block !== undefined) return { line: undefined, block: `${ipv4Block}.0/24` };
  const [, ipv6Block, fourth = ''] = IPV6.exec(ip) ?? [];
  if (ipv6Block === undefined) return { line: undefined, block: undefined };
  const firstByte = Number.parseInt(fourth, 16) & 0xff00;
  return { line: `${ipv6Block}:${firstByte.toString(16)}::/56`, block: `${ipv6Block}::/48` };
}
