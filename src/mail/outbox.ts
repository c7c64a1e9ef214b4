/**
 * What a mail is about. The outbox stores this and never the text of a mail, so no database holds a secret that a mail
 * carries. The text is written when the mail is sent.
 */
type MailKind =
  | 'password reset'
  | 'password changed'
  | 'e-mail changed'
  | 'doctor decided'
  | 'account closed';

/** A mail to be written and sent. */
export interface MailOrder {
  kind: MailKind;
  /** To whom: the id of an account, or an e-mail as somebody typed it, with or without an account. */
  to: { accountId: string } | { email: string };
  /** What the text needs to know besides the account. Short texts without secrets. */
  facts?: Readonly<Record<string, string>>;
}

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
