import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from '../../patches/node-http.ts';
import { messageOf, systemErrorCode } from '../../system/system-errors.ts';
import { beforeContinue } from './bodies/expected-body.ts';
import { handleInTurn } from './bodies/in-turn.ts';
import { closeLingering } from './lingering-close.ts';
import type { RequestDeadlines } from './request-deadlines.ts';
import { answerMalformedRequests } from './requests/malformed-request.ts';

/** Addresses that mean "every interface". They are not fit for a URL. */
const WILDCARDS = new Set(['0.0.0.0', '::']);

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
  deadlines: RequestDeadlines;
}

/** Node's own deadline for a request must come after ours, because its answer is no JSON. */
const MARGIN_MILLIS = 10_000;

/** An open port. */
export interface Listener {
  /** Its address, without a slash at the end. */
  url: string;
  /**
   * Stops accepting connections, and waits for running requests.
   * @param graceMillis connections that are still open after this time are cut
   */
  stop(graceMillis: number): Promise<void>;
}

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
    deadlines,
  }: ListenOptions,
): Promise<Listener> {
  const answers = new OpenAnswers();
  const { handle, answerOn } = handleInTurn((req, res) => {
    answers.add(res);
    handler(req, res);
  });
  const server = createServer(
    {
      // The app answers requests without a Host.
      requireHostHeader: false,
      headersTimeout: deadlines.headersMillis,
      requestTimeout: uploadTimeoutMillis + MARGIN_MILLIS,
      connectionsCheckingInterval: deadlines.checkIntervalMillis,
    },
    handle,
  );
  answerMalformedRequests(server, answerOn, baseUrl);
  server.on('connection', closeLingering(answerOn));
  server.on('checkContinue', beforeContinue(handle));
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1), as PHP does.
  server.on('checkExpectation', handle);
  // A caller who requests a document and does not read it holds a connection and an open file. The deadlines of requests do
  // not end that. This one comes after the deadlines for bodies, which answer with 408.
  server.timeout = Math.max(deadlines.jsonBodyMillis, uploadStallMillis) + deadlines.idleMillis;
  server.on('timeout', (socket) => {
    if (!answers.isMaking(socket)) {
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
      answers.closeConnections();
      return stopListening(server, graceMillis);
    },
  };
}

function refuse(error: unknown, url: string, settings: string): never {
  const reason = systemErrorCode(error) === 'EADDRINUSE' ? 'the port is taken' : messageOf(error);
  throw new Error(`Cannot listen on ${url} (${settings}): ${reason}`, { cause: error });
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

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function stopListening(server: Server, graceMillis: number): Promise<void> {
  const closed = once(server, 'close');
  // This closes idle connections, too.
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), graceMillis);
  await closed;
  clearTimeout(cut);
}

/** The answers that are being made or sent. */
class OpenAnswers {
  readonly #answers = new Set<ServerResponse>();
  #isClosing = false;

  add(res: ServerResponse): void {
    if (this.#isClosing) {
      res.shouldKeepAlive = false;
    }
    this.#answers.add(res);
    res.once('close', () => this.#answers.delete(res));
  }

  /** True if the request on a connection is received, and waits for its answer, such as a login in a long line. */
  isMaking(socket: Socket): boolean {
    return [...this.#answers].some((res) => res.socket === socket && res.req.complete && !res.headersSent);
  }

  /**
   * From now on every answer closes its connection (RFC 9112 section 9.6). Without this, a client that always sends one
   * more request would be served until the end of the grace.
   */
  closeConnections(): void {
    this.#isClosing = true;
    for (const res of this.#answers) {
      res.shouldKeepAlive = false;
    }
  }
}
