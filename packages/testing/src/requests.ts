import type { TestMail } from './mailbox.ts';

/** What the process of the tests asks of that of the gateway, and what is answered. */
export interface Requests {
  /** Moves the clock ahead. */
  advance: [parameters: { millis: number }, result: null];
  /** Runs a command of operators. */
  command: [
    parameters: { words: string[]; input: string },
    result: { code: number | null; stdout: string; stderr: string },
  ];
  /** All mails so far. */
  mails: [parameters: object, result: TestMail[]];
}

export type RequestName = keyof Requests;

export interface RequestMessage {
  id: number;
  name: RequestName;
  parameters: object;
}

export type AnswerMessage = { id: number } & ({ result: unknown } | { error: string });
