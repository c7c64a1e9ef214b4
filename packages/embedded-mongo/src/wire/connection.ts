import type { Socket } from 'node:net';
import { MessageReader } from './wire.ts';

/** The messages of one connection, answered one after the other. */
export class Connection {
  readonly #socket: Socket;
  readonly #answer: (message: Buffer) => Promise<void>;
  readonly #reader = new MessageReader();
  /** Chunks that came while a message was being answered. */
  readonly #waiting: Buffer[] = [];
  #isBusy = false;
  #hasEnded = false;

  constructor(socket: Socket, answer: (message: Buffer) => Promise<void>) {
    this.#socket = socket;
    this.#answer = answer;
  }

  /** Answers the messages that a chunk completes. Rejects if one is malformed; the connection must end then. */
  async read(chunk: Buffer): Promise<void> {
    if (this.#isBusy) {
      this.#waiting.push(chunk);
      this.#socket.pause();
      return;
    }
    this.#isBusy = true;
    for (let next: Buffer | undefined = chunk; next; next = this.#waiting.shift()) {
      for (const message of this.#reader.push(next)) {
        await this.#answer(message);
      }
    }
    this.#isBusy = false;
    if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
    this.#endIfDone();
  }

  /** The client sends nothing more. It still gets the answers to what it has sent. */
  end(): void {
    this.#hasEnded = true;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#hasEnded && !this.#isBusy) {
      this.#socket.end();
    }
  }
}
