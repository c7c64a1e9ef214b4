import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { commandOf, type Match, MessageReader } from './database-messages.ts';

/** One connection through the proxy. */
export interface Line {
  client: Socket;
  server: Socket;
  isSilent: boolean;
}

/** Passes a message on, or does not. */
export type Forward = (message: Buffer, line: Line) => void;

/** What happens to the messages of each direction. */
export interface Mode {
  command: Forward;
  reply: Forward;
}

export const drop: Forward = () => {};
export const PASSING: Mode = {
  command: (message, { server }) => void server.write(message),
  reply: (message, { client }) => void client.write(message),
};

/** Resolves when the ends of closed connections in this process have been read, and reported to their users. */
export async function ownEndsNoticed(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
  }
  // Ends are reported after this phase of a turn, and before the next timer.
  await wait(0);
}

/** Reads whole messages from one end, and closes the other end with it. */
export function join(from: Socket, to: Socket, onMessage: (message: Buffer) => void): void {
  const reader = new MessageReader();
  from.on('data', (chunk: Buffer) => {
    for (const message of reader.push(chunk)) {
      onMessage(message);
    }
  });
  from.on('error', () => {});
  from.on('close', () => to.destroy());
}

/** Passes the replies of each connection byte by byte, one after the other. */
export function byteByByte(millis: number): Forward {
  const sent = new WeakMap<Line, Promise<void>>();
  const trickle = async (message: Buffer, { client }: Line, before: Promise<void> | undefined) => {
    await before;
    for (const byte of message) {
      if (client.destroyed) {
        return;
      }
      client.write(Buffer.of(byte));
      await wait(millis);
    }
  };
  return (message, line) => sent.set(line, trickle(message, line, sent.get(line)));
}

/** Messages that wait to be sent on. */
export class HeldMessages {
  readonly #held: { message: Buffer; line: Line }[] = [];
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  constructor(readonly commands: Match) {}

  readonly forward: Forward = (message, line) => {
    if (!this.commands(commandOf(message))) {
      return PASSING.command(message, line);
    }
    this.#held.push({ message, line });
    for (const { count, resolve } of this.#waiting) {
      if (this.#held.length >= count) {
        resolve();
      }
    }
  };

  arrived(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#held.length >= count) {
        return resolve();
      }
      this.#waiting.push({ count, resolve });
    });
  }

  release(): void {
    for (const { message, line } of this.#held) {
      line.server.write(message);
    }
  }
}
