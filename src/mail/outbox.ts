import type { MailOrder } from '../stores/messages.ts';

/** At most one order of a key in any such time, whichever instances take the orders. */
export interface MailLimit {
  /** Any text that names what is limited, for example the kind and an e-mail key. Only its digest is stored. */
  key: string;
  perMillis: number;
}

/** What is known about an order besides the mail. */
export interface OrderOptions {
  limit?: MailLimit;
  /** The address of the sender of the request, as networksOf takes it. Networks take turns. Empty for an operator. */
  orderedFrom?: string;
}

/** Takes orders for mails. They are sent later, at least once. */
export interface Outbox {
  /** False if no mail server is set up: then orders are dropped. */
  readonly isOn: boolean;
  /**
   * Stores an order. It waits for the database, never for a mail server.
   * @param limit in the options drops the order without a word if another one of its key was stored too short a time ago. A
   *   dropped order takes the same single exchange with the database. If an older order of the key still waits, the new one
   *   replaces it
   * @throws the database's error
   */
  add(order: MailOrder, options?: OrderOptions): Promise<void>;
}

/** The outbox of a gateway without a mail server. */
export const noOutbox: Outbox = { isOn: false, add: async () => {} };
