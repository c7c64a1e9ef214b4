import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeAfterResponse } from '../../patches/close-after-response.ts';
import { closeLingering } from '../../patches/lingering-close.ts';
import { createServer } from '../../patches/node-http.ts';
import { messageOf, systemErrorCode } from '../../system/system-errors.ts';
import { boundPieces } from './bodies/body-pieces.ts';
import { abandon, beforeContinue } from './bodies/unread-body.ts';
import { answerMalformedRequests } from './malformed-requests.ts';
import { LINGER_MILLIS, type RequestDeadlines } from './request-limits.ts';

interface ListenOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** The settings to name if the address or the port cannot be used. */
  hostSetting?: string;
  portSetting?: string;
  /** BASE_URL. */
  baseUrl?: string | undefined;
  uploadTimeoutMillis: number;
  uploadStallMillis: number;
  /** How long a connection may be idle after an answer. */
  keepAliveMillis: number;
  deadlines: RequestDeadlines;
}

/** An open port. */
interface Listener {
  /** Its address, without a slash at the end. */
  url: string;
  /**
   * Stops accepting connections, and waits for running requests.
   * @param graceMillis connections that are still open after this time are cut
   */
  stop(graceMillis: number): Promise<void>;
}

/** Node's own deadline for a request must come after ours, because its response is no JSON. */
const MARGIN_MILLIS = 10_000;

/** Addresses that mean "every interface". They are not fit for a URL. */
const WILDCARDS = new Set(['0.0.0.0', '::']);

/**
 * Opens the port.
 * @throws if that fails, for example on a taken port; the message names it
 */
export async function listen(
  handler: RequestListener,
  {
    host,
    port,
    hostSetting = 'HOST',
    portSetting = 'PORT',
    baseUrl,
    uploadTimeoutMillis,
    uploadStallMillis,
    keepAliveMillis,
    deadlines,
  }: ListenOptions,
): Promise<Listener> {
  const responses = new OpenResponses();
  const { handle, responseOn } = handlePipelined((req, res) => {
    responses.add(res);
    handler(req, res);
  });
  const server = createServer({
    // The app answers requests without a Host.
    requireHostHeader: false,
    headersTimeout: deadlines.headersMillis,
    keepAliveTimeout: keepAliveMillis,
    requestTimeout: uploadTimeoutMillis + MARGIN_MILLIS,
    connectionsCheckingInterval: deadlines.checkIntervalMillis,
  });
  const refuseBody = answerMalformedRequests(server, responseOn, baseUrl);
  const receive: RequestListener = (req, res) => {
    boundPieces(req, () => refuseBody(res));
    // Before Node's own listener, which would drop what nobody has read without counting its pieces.
    res.prependOnceListener('finish', () => abandon(req));
    handle(req, res);
  };
  server.on('request', receive);
  server.on('connection', closeLingering(responseOn, LINGER_MILLIS));
  server.on('checkContinue', beforeContinue(receive));
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1), as PHP does.
  server.on('checkExpectation', receive);
  // A caller who requests a document and does not read it holds a connection and an open file. The deadlines of requests do
  // not end that. This one comes after the deadlines for bodies, which answer with 408.
  server.timeout = Math.max(deadlines.jsonBodyMillis, uploadStallMillis) + deadlines.idleMillis;
  server.on('timeout', (socket) => {
    if (!responses.isMaking(socket)) {
      destroyIfIdle(socket);
    }
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) =>
    refuse(error, urlOf(host, port), `${hostSetting}, ${portSetting}`),
  );
  const address = server.address() as AddressInfo;
  return {
    url: urlOf(WILDCARDS.has(address.address) ? '127.0.0.1' : host, address.port),
    stop: (graceMillis) => {
      responses.closeConnections();
      return stopListening(server, graceMillis);
    },
  };
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

function refuse(error: unknown, url: string, settings: string): never {
  const reason = systemErrorCode(error) === 'EADDRINUSE' ? 'the port is taken' : messageOf(error);
  throw new Error(`Cannot listen on ${url} (${settings}): ${reason}`, { cause: error });
}

async function stopListening(server: Server, graceMillis: number): Promise<void> {
  const closed = once(server, 'close');
  // This closes idle connections, too.
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), graceMillis);
  await closed;
  clearTimeout(cut);
}

/**
 * Closes an idle connection on Node's own timer, unless a request has just arrived on it. After a standstill of this
 * process, Node calls timers before it reads input.
 */
function destroyIfIdle(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) {
      socket.destroy();
    }
  });
}

/** The responses that are being made or sent. */
class OpenResponses {
  readonly #responses = new Set<ServerResponse>();
  #isClosing = false;

  add(res: ServerResponse): void {
    if (this.#isClosing) {
      closeAfterResponse(res);
    }
    this.#responses.add(res);
    res.once('close', () => this.#responses.delete(res));
  }

  /** True if the request on a connection is received, and waits for its response, such as a login in a long queue. */
  isMaking(socket: Socket): boolean {
    return [...this.#responses].some((res) => res.socket === socket && res.req.complete && !res.headersSent);
  }

  /**
   * From now on every response closes its connection (RFC 9112 section 9.6). Without this, a client that always sends one
   * more request would be served until the end of the grace.
   */
  closeConnections(): void {
    this.#isClosing = true;
    for (const res of this.#responses) {
      closeAfterResponse(res);
    }
  }
}

/** More than any client sends at once on one connection; browsers do not pipeline at all. */
const MAX_WAITING = 32;

/** The requests on one connection. */
interface Pipeline {
  /** The response that is being made or sent. */
  current: ServerResponse;
  /** The response to the last request so far, which may be waiting. */
  last: ServerResponse;
  waiting: number;
}

/**
 * Handles pipelined requests of one connection one after another, in the order in which they must be answered (RFC 9112
 * section 9.3.2).
 *
 * Node begins them all at once. When the connection closes, only the response that is being sent gets an event. The others
 * would hold their open files and their uploads in quarantine for ever. For the same reason, no request is begun after a
 * response that closes the connection (section 9.6), even while the rest of its request is dropped. A connection with too
 * many waiting requests is cut.
 */
function handlePipelined(handler: RequestListener): {
  handle: RequestListener;
  /** The response that is being made or sent on a connection; if there is none, the last one. */
  responseOn(socket: Duplex): ServerResponse | undefined;
} {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const handle: RequestListener = (req, res) => {
    if (!req.socket.writable) {
      return;
    }
    const pipeline = pipelines.get(req.socket);
    if (!pipeline || pipeline.last.closed) {
      pipelines.set(req.socket, { current: res, last: res, waiting: 0 });
      return handler(req, res);
    }
    if (pipeline.waiting >= MAX_WAITING) {
      return void req.socket.destroy();
    }
    pipeline.waiting += 1;
    pipeline.last.once('close', () => {
      pipeline.waiting -= 1;
      if (!req.socket.writable) {
        return;
      }
      pipeline.current = res;
      handler(req, res);
    });
    pipeline.last = res;
  };
  return { handle, responseOn: (socket) => pipelines.get(socket)?.current };
}
