import ipaddr from 'ipaddr.js';

/** The networks around an address. One attacker may own all of such a network. */
export interface Networks {
  /** The /56 of a home line (RFC 6177 section 2); undefined for IPv4. */
  line: string | undefined;
  /** The /48 of a site or a tunnel; for IPv4 the /24, the smallest network with its own route. */
  block: string | undefined;
}

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
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) {
    return { line: undefined, block: `${ipaddr.IPv4.networkAddressFromCIDR(`${ip}/24`)}/24` };
  }
  const [address = '', bits] = ip.split('/');
  if (bits !== '64' || !ipaddr.IPv6.isValid(address)) {
    return { line: undefined, block: undefined };
  }
  const network = ipaddr.IPv6.parse(address);
  return { line: ipv6Network(network, 56), block: ipv6Network(network, 48) };
}

const GROUP_BITS = 16;

/**
 * The network of an IPv6 address, such as `2001:db8:0:0::/64`. Stored counts and known places depend on this form: it shows
 * all groups of the network, zeros too.
 */
export function ipv6Network(address: ipaddr.IPv6, bits: 48 | 56 | 64): string {
  const groups = address.parts.slice(0, Math.ceil(bits / GROUP_BITS));
  const spareBits = groups.length * GROUP_BITS - bits;
  const last = groups.pop() ?? 0;
  const shown = [...groups, (last >> spareBits) << spareBits].map((group) => group.toString(16));
  return `${shown.join(':')}::/${bits}`;
}
