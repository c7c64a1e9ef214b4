import { readAnswer } from './answer.ts';
import { Connection } from './connection.ts';
import { GuardError } from './guard-error.ts';
import type { Settings } from './settings.ts';
import type { Session } from './types.ts';

/** Every token of the gateway, and of the legacy service, has this shape. About any other text the gateway is not asked. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/;

/** Asks the gateway about tokens. */
export class Questions {
  readonly #settings: Settings;
  readonly #connection: Connection;
  /** The questions that are not sent yet, by token. */
  readonly #unsent = new Map<string, Promise<Session | undefined>>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#connection = new Connection(settings);
  }

  /**
   * Asks for the owner of a token. Equal questions become one, but only until it is sent: the answer to a question that is
   * under way may be older than a revocation that happened before this call.
   * @returns undefined if the token is not valid
   * @throws GuardError if there is no answer
   */
  ask(token: string): Promise<Session | undefined> {
    if (!TOKEN.test(token)) {
      return Promise.resolve(undefined);
    }
    let question = this.#unsent.get(token);
    if (question === undefined) {
      const onSend = () => void this.#unsent.delete(token);
      question = this.#send(token, onSend);
      this.#unsent.set(token, question);
    }
    return question;
  }

  async #send(token: string, onSend: () => void): Promise<Session | undefined> {
    try {
      const answer = await this.#connection.post(`token=${encodeURIComponent(token)}`, onSend);
      return readAnswer(answer, this.#settings);
    } catch (error) {
      if (error instanceof GuardError) {
        void this.#report(error);
      }
      throw error;
    } finally {
      // The time may end before the question is sent.
      onSend();
    }
  }

  /** A callback that throws or rejects must neither change the answer nor end the process. */
  async #report(error: GuardError): Promise<void> {
    try {
      await this.#settings.onError(error);
    } catch (cause) {
      process.emitWarning(`onError of the guard has failed: ${cause}`);
    }
  }
}
