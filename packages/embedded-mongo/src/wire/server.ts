import { createServer, type Server, type Socket } from 'node:net';
import { debug } from '../base/debug.ts';
import { errorReply, runCommand } from '../commands/run-command.ts';
import type { Engine } from '../commands/support/command.ts';
import { Connection } from './connection.ts';
import { parseSteps } from './parse-steps.ts';
import { parseMessage, writeReply } from './wire.ts';
import type { WireRequest } from './wire-request.ts';

/** The engine has no authentication, so only processes of this machine may reach it. */
const HOST = '127.0.0.1';

/** Others are served between the parts of a message of this size, and before its command runs. */
const LARGE_BYTES = 256 * 1024;

/** The loopback socket for drivers. */
export class WireServer {
  readonly #engine: Engine;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #lastConnection = 0;
  #lastReply = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#serve(socket));
  }

  /**
   * @param port 0 for a free one
   * @returns the port; rejects if another process has it
   */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: HOST, port }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Closes the port and all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  #serve(socket: Socket): void {
    const connectionId = ++this.#lastConnection;
    const { connections } = this.#engine;
    this.#sockets.add(socket);
    connections.current++;
    connections.totalCreated++;
    socket.on('close', () => {
      this.#sockets.delete(socket);
      connections.current--;
    });
    const fail = (error: unknown) => {
      debug('connection %d closed: %o', connectionId, error);
      socket.destroy();
    };
    socket.on('error', fail);
    const connection = new Connection(socket, (message) => this.#answer(socket, message, connectionId));
    // Not `for await`: the iterator of a stream takes longer than a small command.
    socket.on('data', (chunk) => void connection.read(chunk).catch(fail));
    socket.on('end', () => connection.end());
  }

  async #answer(socket: Socket, message: Buffer, connectionId: number): Promise<void> {
    const request = message.length < LARGE_BYTES ? parseMessage(message) : await parseSlowly(message);
    const reply = request.refusal
      ? errorReply(request.refusal)
      : await runCommand(this.#engine, request.command, connectionId);
    if (request.moreToCome || socket.destroyed) {
      return;
    }
    if (!socket.write(writeReply(request, reply, ++this.#lastReply))) {
      await drained(socket);
    }
  }
}

async function parseSlowly(message: Buffer): Promise<WireRequest> {
  const steps = parseSteps(message);
  for (;;) {
    const { value, done } = steps.next();
    await new Promise((resolve) => setImmediate(resolve));
    if (done) {
      return value;
    }
  }
}

/** Resolves when the client has read enough of the answers, or the connection ends. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
