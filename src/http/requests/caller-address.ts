import { isIPv6, SocketAddress } from 'node:net';

const MAPPED = '::ffff:';
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Some proxies add the port that the caller came from, which is another one for every connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

/**
 * The address that attempts are counted by. An IPv4 address counts as one however it is spelt; of an IPv6 address only
 * the network counts, because one subscriber has a /64 and with it 2^64 addresses to guess from (RFC 6177 section 2).
 * @param told as the socket or a trusted proxy tells it, with a port or without; what is no IP address is left as it is
 */
export function countedAddress(told: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(told) ?? [];
  const address = bracketed ?? dotted ?? told;
  if (!isIPv6(address)) return address;
  // Without the zone of a link-local address, and with zeros and letters in their one canonical form.
  const [withoutZone = ''] = address.split('%');
  const canonical = new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
  if (canonical.startsWith(MAPPED) && canonical.includes('.')) return canonical.slice(MAPPED.length);
  const [head = [], tail = []] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(GROUPS - head.length - tail.length).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
