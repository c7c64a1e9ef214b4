import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestByHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { GuardError } from './guard-error.ts';
import { INTROSPECTION } from './introspection.ts';
import type { Settings } from './settings.ts';
import { Turns } from './turns.ts';

/** A complete HTTP response. */
export interface Answer {
  status: number;
  /** The header Retry-After. */
  retryAfter: string | undefined;
  text: string;
}

/** What is asked: a form for introspection, or a path below the address of the gateway. */
interface Question {
  form?: string;
  path?: string;
}

/** A question that is under way. */
interface Exchange {
  /** True after the timeout: it is not sent any more. */
  isOver: boolean;
  request: ClientRequest | undefined;
}

/** Enough for thousands of questions per second. More of them wait for each other. */
const MAX_CONNECTIONS = 16;
/** The gateway's answers about a token have less than 2 KiB. */
const MAX_ANSWER_BYTES = 65_536;

/** What differs between questions about tokens and about events. */
interface Limits {
  maxBytes?: number;
  timeoutMillis?: number;
}

/**
 * The connections to the gateway, which stay open between questions. Idle ones do not keep the process alive. A question by
 * `fetch` takes six times the processor time of one by `node:http`. That also follows no redirect: the credentials go nowhere
 * else.
 */
export class Connection {
  readonly #settings: Settings;
  readonly #maxBytes: number;
  readonly #timeoutMillis: number;
  readonly #turns = new Turns(MAX_CONNECTIONS);
  readonly #open: (question: Question) => ClientRequest;

  constructor(settings: Settings, { maxBytes = MAX_ANSWER_BYTES, timeoutMillis }: Limits = {}) {
    this.#settings = settings;
    this.#maxBytes = maxBytes;
    this.#timeoutMillis = timeoutMillis ?? settings.timeoutMillis;
    const { endpoint, authorization } = settings;
    const isHttps = endpoint.protocol === 'https:';
    const request = isHttps ? requestByHttps : requestByHttp;
    const agent = new (isHttps ? HttpsAgent : HttpAgent)({ keepAlive: true });
    const target = { ...urlToHttpOptions(endpoint), agent };
    const base = endpoint.pathname.slice(0, -INTROSPECTION.length);
    this.#open = ({ path = '', form }) => {
      const common = { Authorization: authorization, Accept: 'application/json' };
      if (form === undefined) {
        const sent = request({ ...target, path: `${base}${path}`, headers: common });
        // A question that waits for an event does not keep the process alive.
        return sent.on('socket', (socket) => socket.unref());
      }
      const headers = {
        ...common,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(form),
      };
      return request({ ...target, method: 'POST', headers });
    };
  }

  /**
   * Sends a form.
   * @param onSend called just before the form is sent. It may wait for a free connection until then
   * @throws GuardError if there is no complete answer within the timeout
   */
  post(form: string, onSend: () => void): Promise<Answer> {
    return this.#ask({ form }, onSend);
  }

  /**
   * Asks for something.
   * @param path below the address of the gateway
   * @throws GuardError if there is no complete answer within the timeout
   */
  get(path: string): Promise<Answer> {
    return this.#ask({ path }, () => {});
  }

  async #ask(question: Question, onSend: () => void): Promise<Answer> {
    const exchange: Exchange = { isOver: false, request: undefined };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        exchange.isOver = true;
        exchange.request?.destroy();
        reject(this.#timeoutError());
      }, this.#timeoutMillis);
      question.form === undefined && timer.unref();
    });
    try {
      return await Promise.race([this.#inTurn(question, onSend, exchange), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #inTurn(question: Question, onSend: () => void, exchange: Exchange): Promise<Answer> {
    // Not the agent's queue: that opens a connection even for a request that was given up while it waited.
    await this.#turns.begin();
    try {
      onSend();
      return await this.#send(question, exchange);
    } finally {
      this.#turns.end();
    }
  }

  async #send(question: Question, exchange: Exchange): Promise<Answer> {
    while (!exchange.isOver) {
      const request = this.#open(question);
      exchange.request = request;
      try {
        return await answerTo(request, question.form, this.#maxBytes);
      } catch (error) {
        if (!isStale(request, error)) {
          throw error instanceof GuardError ? error : this.#networkError(error);
        }
      }
    }
    throw this.#timeoutError();
  }

  #timeoutError(): GuardError {
    const { origin } = this.#settings.endpoint;
    return new GuardError(
      'TIMEOUT',
      `The gateway at ${origin} did not answer within ${this.#timeoutMillis} ms.`,
    );
  }

  /** With the system's code of the problem, but without its message. */
  #networkError(error: unknown): GuardError {
    const code = codeOf(error);
    const reason = code === undefined ? '' : ` (${code})`;
    const { origin } = this.#settings.endpoint;
    return new GuardError(
      'NETWORK_ERROR',
      `The gateway at ${origin} cannot be reached, or the connection broke${reason}.`,
    );
  }
}

/** The code of a system error, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * True if the gateway has closed an idle connection just when this request took it. To send a question again is harmless.
 */
const isStale = (request: ClientRequest, error: unknown): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '');

/** Sends the body, and reads the whole response. */
function answerTo(request: ClientRequest, body: string | undefined, maxBytes: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    let isAnswered = false;
    request.once('response', (response) => {
      isAnswered = true;
      read(response, maxBytes).then(resolve, reject);
    });
    // Without an error, for example after a status of 101.
    request.once('close', () => isAnswered || reject(new Error('closed')));
    request.end(body);
  });
}

function read(response: IncomingMessage, maxBytes: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('error', reject);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) {
        response.destroy(tooLong(maxBytes));
      }
    });
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString() });
    });
  });
}

const tooLong = (maxBytes: number) =>
  new GuardError('INVALID_RESPONSE', `The answer has more than ${maxBytes} bytes. It is not the gateway's.`);
