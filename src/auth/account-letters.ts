import type { WriteLetter } from '../mail/letter.ts';
import type { MailKind } from '../mail/outbox.ts';
import { type AccountModel, emailKey, type StoredAccount } from '../models/account.model.ts';

const TEXTS: Partial<Readonly<Record<MailKind, string>>> = {
  'password changed': 'The password of your account was changed.',
  'e-mail changed': 'The e-mail of your account was changed.',
  'doctor decided': 'Your documents were reviewed.',
  'account closed': 'Your account was closed.',
};

/** Writes the mails about accounts. */
export const accountLetters =
  (accounts: AccountModel): WriteLetter =>
  async ({ kind, to }) => {
    const filter = 'email' in to ? { emailKey: emailKey(to.email) } : { _id: to.accountId };
    const account = await accounts.findOne(filter).lean<StoredAccount>();
    const text = TEXTS[kind];
    if (!account || text === undefined) {
      return undefined;
    }
    return { to: { name: account.name, address: account.email }, subject: text, paragraphs: [text] };
  };
