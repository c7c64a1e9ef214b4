import { isDuplicateKey } from '../database/database-errors.ts';
import type { StoredAccount } from '../stores/accounts/accounts.ts';
import { emailKey } from '../stores/email-key.ts';
import type { Models } from '../stores/models.ts';

/** A key whose domain is not in ASCII has such a letter. Some others do, too. */
const NOT_ASCII = /[^ -~]/;

/**
 * Gives accounts with an international domain the key that logins look for. Before, their keys had the domain as it was typed,
 * and each look-up asked for all possible forms.
 * @returns a sentence for each account that keeps its key, because another account has the same e-mail
 */
export async function asciiEmailKeys(
  { accounts }: Models,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const notes: string[] = [];
  const found = accounts.find({ emailKey: NOT_ASCII }).select('email emailKey').lean<StoredAccount[]>();
  for await (const { _id, email, emailKey: former } of found.cursor()) {
    signal?.throwIfAborted();
    const key = emailKey(email);
    if (key !== former) {
      await accounts
        .updateOne({ _id, emailKey: former }, { $set: { emailKey: key } })
        .catch((error: unknown) => {
          if (!isDuplicateKey(error, 'emailKey')) {
            throw error;
          }
          notes.push(
            `Account ${_id} has the e-mail of another account. It can log in once it has a new one: npm run admin -- accounts set-email --account ${_id} --to NEW`,
          );
        });
    }
  }
  return notes;
}
