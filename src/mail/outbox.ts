/**
 * What a mail is about. The outbox stores this and never the text of a mail, so no database holds a secret that a mail
 * carries. The text is written when the mail is sent.
 */
export type MailKind =
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

/** Takes orders for mails. They are sent later, at least once. */
export interface Outbox {
  /** False if no mail server is set up: then orders are dropped. */
  readonly isOn: boolean;
  /**
   * Stores an order.
   * @throws the database's error
   */
  add(order: MailOrder): Promise<void>;
}

/** The outbox of a gateway without a mail server. */
export const noOutbox: Outbox = { isOn: false, add: async () => {} };
