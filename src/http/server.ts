import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Addresses that mean "every interface"; nobody can be sent to them. */
const WILDCARDS = new Set(['0.0.0.0', '::']);

interface ListenOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  uploadTimeoutMillis: number;
}

/** Node's own deadline for a request must come after ours, because its answer is no JSON. */
const MARGIN_MILLIS = 10_000;

/**
 * Opens the port.
 * @returns the server and its address, without a slash at the end
 * @throws an error of the system, such as EADDRINUSE
 */
export async function listen(handler: RequestListener, { host, port, uploadTimeoutMillis }: ListenOptions) {
  const server = createServer({ requestTimeout: uploadTimeoutMillis + MARGIN_MILLIS }, handler);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return { server, url: urlOf(WILDCARDS.has(address.address) ? '127.0.0.1' : host, address.port) };
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Stops accepting, and waits for running requests.
 * @param graceMillis after that long, connections are cut
 */
export async function stopListening(server: Server, graceMillis: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMillis);
  await closed;
  clearTimeout(timer);
}
