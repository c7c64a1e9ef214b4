import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * A keep-alive connection that sends prepared requests, one at a time. It parses only as much of an answer as it needs to find
 * its end, because it shares the cores with the measured server: Node's client takes several times as long.
 */
export class Connection {
  /** The number of answers that this process has received. */
  static answers = 0;

  #socket;
  #received = [];
  #waiting;

  /** @param port on loopback */
  static async open(port) {
    const connection = new Connection();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    connection.#socket = socket;
    socket.on('data', (chunk) => connection.#read(chunk));
    socket.on('error', (error) => connection.#fail(error));
    socket.on('close', () => connection.#fail(new Error('the server closed the connection')));
    return connection;
  }

  /**
   * Sends a request and waits for the whole answer.
   * @param parts one Buffer, or an array of them
   * @returns the status and the raw body, which may be in chunks
   */
  exchange(parts) {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        return reject(new Error('the server has closed the connection'));
      }
      this.#waiting = { resolve, reject };
      if (Buffer.isBuffer(parts)) {
        return this.#socket.write(parts);
      }
      for (const part of parts) {
        this.#socket.write(part);
      }
    });
  }

  close() {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #read(chunk) {
    if (!this.#waiting) {
      return this.#fail(new Error('an answer without a request'));
    }
    this.#received.push(chunk);
    const answer = wholeAnswer(this.#received.length === 1 ? chunk : Buffer.concat(this.#received));
    if (!answer) {
      return;
    }
    this.#received = [];
    Connection.answers += 1;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve(answer);
  }

  #fail(error) {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
    this.#socket.destroy();
  }
}

/** The whole answer; undefined while a part of it is missing. */
function wholeAnswer(bytes) {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) {
    return undefined;
  }
  const head = bytes.latin1Slice(0, headEnd);
  const body = bytes.subarray(headEnd + HEAD_END.length);
  const status = Number(head.slice(9, 12));
  // A 204 has no body, and says so by nothing but its status (RFC 9112 section 6.3).
  const length = status === 204 ? 0 : /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined && !/\r\ntransfer-encoding: *chunked/i.test(head)) {
    throw new Error(`an answer of unknown length:\n${head}`);
  }
  const isWhole = length === undefined ? endsInLastChunk(body) : body.length >= Number(length);
  return isWhole ? { status, body } : undefined;
}

const endsInLastChunk = (body) => body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);

/** Opens connections, and closes them after their use. */
export async function withConnections(port, count, use) {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(port)));
  try {
    return await use(connections);
  } finally {
    for (const connection of connections) {
      connection.close();
    }
  }
}

/** Sends a request. Every error fails the benchmark, also one of GraphQL. */
export async function succeed(connection, request) {
  const { status, body } = await connection.exchange(request);
  if (status < 200 || status > 299 || body.includes('"errors"')) {
    throw new Error(`${status} ${body.toString().slice(0, 500)}`);
  }
  return body;
}
