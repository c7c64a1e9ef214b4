import { digestOfHash } from '../../../../src/stores/account-credentials.ts';
import type { EmailProof } from '../../../../src/stores/account-record.ts';
import { emailKey } from '../../../../src/stores/email-key.ts';
import { restApi } from '../../../support/rest-api.ts';
import type { LifeThere } from './acts-there.ts';

/** What a life remembers of the gateway: what was decided here, and so does not follow the legacy service. */
export interface LifeHere extends LifeThere {
  /** The passwords of accounts, if they were chosen here. */
  passwords: Map<string, string>;
  emails: Set<string>;
  /** When and for which e-mails accounts were proven here, until an operator has changed the e-mail. */
  proofs: Map<string, EmailProof>;
  disabled: Set<string>;
  /** The statuses of doctors on whom somebody has decided, or who have submitted documents again. */
  statuses: Map<string, string>;
  /** The documents of doctors who have submitted them again, since a reviewer has decided on them. */
  documents: Map<string, Documents>;
  /** The ids of imported tokens that have ended here. */
  ended: Set<string>;
  /** Plain tokens that were issued here. */
  issued: string[];
  /** The plain token of a reviewer; undefined while there is none. */
  reviewer: string | undefined;
}

/** The stored paths of a doctor's documents. */
export interface Documents {
  licenseFilePath: string;
  diplomaFilePath: string;
  certificationFilePath: string | null;
}

export type ActHere = (life: LifeHere) => Promise<void>;

export const accountsOf = ({ world }: LifeHere) =>
  world.app.database.accounts.find().sort({ _id: 1 }).toArray();

/** An account that is enabled here. */
export async function anAccount(life: LifeHere) {
  const accounts = await accountsOf(life);
  return life.random.pick(accounts.filter(({ disabledAt }) => !disabledAt));
}

type StoredPassword = {
  _id: string;
  email: string;
  emailKey: string;
  passwordHash: string;
  upgradedFrom?: string;
};

/** The password of an account, as far as it is known. */
export function passwordOf({ world, passwords }: LifeHere, account: StoredPassword): string | undefined {
  const digest = account.upgradedFrom ?? digestOfHash(account.passwordHash);
  return (
    passwords.get(account._id) ?? world.passwords.find(({ hash }) => digestOfHash(hash) === digest)?.password
  );
}

/** Logs in to an account whose password is known. */
export async function loginTo(life: LifeHere, account: StoredPassword): Promise<string | undefined> {
  const password = passwordOf(life, account);
  // After a kill, one account of an exchange has no e-mail that finds it, until the next sync.
  if (password === undefined || account.emailKey !== emailKey(account.email)) {
    return undefined;
  }
  const result = await restApi(life.world.app.url).login({ email: account.email.trimEnd(), password });
  expect(result).toMatchObject({ ok: true });
  const token = result.ok ? result.token : undefined;
  life.issued.push(...(token === undefined ? [] : [token]));
  return token;
}

/** The plain text of a token that somebody may have, whether it is valid or not. */
export const aToken = ({ random, secrets, issued }: LifeHere): string | undefined => {
  const imported = [...secrets].map(([id, secret]) => `${id}|${secret}`);
  return random.pick([...imported, ...issued]);
};
