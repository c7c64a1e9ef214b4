import type { MailOrder } from '../stores/messages.ts';

/** A mail, ready to be sent. */
export interface Letter {
  to: { name: string; address: string };
  subject: string;
  /** Paragraphs of plain text. The HTML is made from them. */
  paragraphs: readonly string[];
  /** The one link of the mail, shown after the paragraphs. */
  link?: { label: string; url: string };
}

/** A mail whose addressee is known, and that is not written yet. */
export interface Draft {
  kind: MailOrder['kind'];
  to: Letter['to'];
  /**
   * Writes the text. What the mail carries, such as a token, is made now.
   * @throws the database's error; the order is tried again
   */
  write(): Promise<Omit<Letter, 'to'>>;
}

/**
 * Finds the addressee of an order at the moment of sending.
 * @returns undefined if there is nothing to send any more: no account has the e-mail, or it was closed meanwhile
 * @throws the database's error; the order is tried again
 */
export type DraftMail = (order: MailOrder) => Promise<Draft | undefined>;
