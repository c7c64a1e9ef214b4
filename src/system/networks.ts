import ipaddr from 'ipaddr.js';

/**
 * The levels of the networks around an address, from the widest:
 * - `block`: the /48 of a site or a tunnel; for IPv4 the /24, the smallest network with its own route
 * - `line`: the /56 of a home line (RFC 6177 section 2); IPv4 has none
 * - `address`: the /64, which one subscriber has at least, and with it 2^64 addresses; for IPv4 the address itself
 */
export type NetworkLevel = 'block' | 'line' | 'address';

/** A network that one sender may own as a whole. */
interface Network {
  level: NetworkLevel;
  /** Such as `2001:db8:1::/48` or `192.0.2.0/24`. Stored counts have these keys, so their form never changes. */
  key: string;
}

/**
 * The networks around an address, the widest first. Limits, turns and shares of whatever one sender may use up go by these.
 * @param address an IPv4 address or the /64 of an IPv6 address, as {@link addressNetwork} returns it. Any other text is in no
 *   network but itself
 */
export function networksOf(address: string): readonly Network[] {
  const own: Network = { level: 'address', key: address };
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return [{ level: 'block', key: `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24` }, own];
  }
  const [prefix = '', bits] = address.split('/');
  if (bits !== '64' || !ipaddr.IPv6.isValid(prefix)) {
    return [own];
  }
  const parsed = ipaddr.IPv6.parse(prefix);
  return [
    { level: 'block', key: ipv6Network(parsed, 48) },
    { level: 'line', key: ipv6Network(parsed, 56) },
    own,
  ];
}

/**
 * The network that may belong to one attacker alone: an IPv4 address, or the whole /48 of an IPv6 address. One IPv6 line has
 * hundreds of /64 networks to send from.
 * @param address as {@link networksOf} takes it
 */
export function senderOf(address: string): string {
  const [widest, ...others] = networksOf(address);
  const isIpv6 = others.some(({ level }) => level === 'line');
  return isIpv6 && widest ? widest.key : address;
}

/**
 * The narrowest network of an IPv6 address: its /64. An address that stands for an IPv4 address is that address, because
 * everybody behind a NAT64 shares one /64.
 */
export function addressNetwork(address: ipaddr.IPv6): string {
  return embeddedIpv4(address)?.toString() ?? ipv6Network(address, 64);
}

/** IPv4-mapped addresses, and the prefixes of NAT64, with the IPv4 address in the last 32 bits (RFC 6052 section 2.2). */
const IPV4_PREFIXES = [
  ipaddr.IPv6.parseCIDR('::ffff:0:0/96'),
  ipaddr.IPv6.parseCIDR('64:ff9b::/96'),
  // For local use (RFC 8215). Its operator chooses a prefix within it, here one of 96 bits.
  ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'),
];

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const isEmbedded = IPV4_PREFIXES.some((prefix) => address.match(prefix));
  return isEmbedded ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : undefined;
}

const GROUP_BITS = 16;

/** It shows all groups of the network, zeros too, such as `2001:db8:0:0::/64`. Known places depend on this form. */
function ipv6Network(address: ipaddr.IPv6, bits: 48 | 56 | 64): string {
  const groups = address.parts.slice(0, Math.ceil(bits / GROUP_BITS));
  const spareBits = groups.length * GROUP_BITS - bits;
  const last = groups.pop() ?? 0;
  const shown = [...groups, (last >> spareBits) << spareBits].map((group) => group.toString(16));
  return `${shown.join(':')}::/${bits}`;
}
