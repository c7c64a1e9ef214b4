import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressNetwork } from '../../../system/networks.ts';

/** Some proxies add the port of the caller, which differs for each connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

/**
 * The address that attempts are counted by. All spellings of an IPv4 address count as one, and so do those within NAT64. Of
 * any other IPv6 address only the /64 counts.
 * @param sent by the socket or a trusted proxy, with or without a port. A text that is no IP address is returned unchanged
 */
export function countedAddress(sent: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(sent) ?? [];
  const address = bracketed ?? dotted ?? sent;
  if (!isIPv6(address)) {
    return address;
  }
  // Without the zone of a link-local address, and all in hexadecimal: ipaddr.js does not read every form with a dotted end.
  const [withoutZone = ''] = address.split('%');
  const { hostname } = new URL(`http://[${withoutZone}]`);
  return addressNetwork(ipaddr.IPv6.parse(hostname.slice(1, -1)));
}
