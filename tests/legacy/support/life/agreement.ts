import { existsSync } from 'node:fs';
import path from 'node:path';
import { toLegacyPath } from '../../../../src/legacy/records/profile-kind.ts';
import type { StoredAccessToken } from '../../../../src/stores/access-tokens.ts';
import { digestOfHash } from '../../../../src/stores/account-credentials.ts';
import type { StoredAccount } from '../../../../src/stores/accounts.ts';
import { DOCUMENT_FIELDS } from '../../../../src/stores/doctor-profile-record.ts';
import { emailKey } from '../../../../src/stores/email-key.ts';
import { testClock } from '../../../support/test-app.ts';

import { type Row, rowsOf } from './acts-there.ts';
import type { Documents, LifeHere } from './life-here.ts';
import { FIRST_ID_HERE } from './world.ts';

const momentOf = (text: unknown): number | null =>
  text === null ? null : Date.parse(`${String(text).replace(' ', 'T')}Z`);
const byId = <T extends { _id: unknown }>(records: readonly T[]) =>
  new Map(records.map((one) => [String(one._id), one]));
/** True for the token of a row whose time is over, in the legacy service as well. */
const hasExpired = ({ expires_at }: Row): boolean => (momentOf(expires_at) ?? Infinity) <= testClock.now();
/** True for a stored token whose time is over. */
const isOver = ({ expiresAt, idleExpiresAt }: StoredAccessToken): boolean =>
  [expiresAt, idleExpiresAt].some((end) => end && end.getTime() <= testClock.now());
const isMoving = ({ role, deleted_at }: Row): boolean => deleted_at === null && role !== 'admin';
const abilitiesOf = (text: unknown): unknown =>
  text === null || text === '["*"]' ? null : (JSON.parse(String(text)) as unknown);
const passwordDigest = ({ upgradedFrom, passwordHash }: StoredAccount) =>
  upgradedFrom ?? digestOfHash(passwordHash);

/** All that both sides have. */
export async function stateOf({ world }: LifeHere) {
  const { accounts, profiles, tokens, db } = world.app.database;
  return {
    there: {
      accounts: await rowsOf(world, 'accounts'),
      profiles: await rowsOf(world, 'doctor_profiles'),
      tokens: await rowsOf(world, 'personal_access_tokens'),
    },
    here: {
      accounts: byId(await accounts.find().toArray()),
      profiles: byId(await profiles.find().toArray()),
      tokens: byId(await tokens.find().toArray()),
      erased: byId(await db.collection('erasures').find().toArray()),
    },
  };
}
export type State = Awaited<ReturnType<typeof stateOf>>;

/** The keys of e-mails that somebody there is to have here, and that somebody else has got here. */
export function collisionsIn({ emails }: LifeHere, { there, here }: State): string[] {
  const holders = new Map([...here.accounts.values()].map((account) => [account.emailKey, account._id]));
  const isBlocked = (row: Row) => {
    const id = String(row.id);
    const holder = holders.get(emailKey(String(row.email)));
    const isDecided = holder !== undefined && (emails.has(holder) || Number(holder) >= FIRST_ID_HERE);
    return isMoving(row) && !here.erased.has(id) && !emails.has(id) && isDecided && holder !== id;
  };
  const blocked = there.accounts.filter(isBlocked).map(({ email }) => emailKey(String(email)));
  return [...blocked, ...decidedAndTaken(emails, { there, here }, holders)];
}

/** The keys of e-mails that accounts got here before they were absent, and that others have got meanwhile. */
const decidedAndTaken = (
  emails: LifeHere['emails'],
  { there, here }: State,
  holders: ReadonlyMap<string, string>,
): string[] =>
  there.accounts.filter(isMoving).flatMap(({ id }) => {
    const stored = here.accounts.get(String(id));
    const key = stored?.legacyAbsence && emails.has(stored._id) ? emailKey(stored.email) : '';
    return [undefined, stored?._id].includes(holders.get(key)) ? [] : [key];
  });

/** What is wrong after a `sync`, in words. */
export function differencesAfterSync(life: LifeHere, { there, here }: State): string[] {
  const found: string[] = [];
  const say = (text: string) => void found.push(text);
  const rows = new Map(there.accounts.map((row) => [String(row.id), row]));
  for (const [id, row] of rows) {
    const stored = here.accounts.get(id);
    if (here.erased.has(id)) {
      stored && say(`account ${id} was erased, and is here`);
    } else if (!isMoving(row)) {
      stored && !stored.legacyAbsence && say(`account ${id} does not move, and is open`);
    } else if (!stored || stored.legacyAbsence) {
      say(`account ${id} is not here`);
    } else {
      found.push(...accountDifferences(life, row, stored));
    }
  }
  for (const [id, { legacyAbsence, emailKey: key, email }] of here.accounts) {
    const isImported = Number(id) < FIRST_ID_HERE;
    isImported && !rows.has(id) && !legacyAbsence && say(`account ${id} is gone there, and open here`);
    !legacyAbsence && key !== emailKey(email) && say(`account ${id} is not found by its e-mail`);
  }
  const isOpen = (id: string) => {
    const row = rows.get(id);
    return row !== undefined && isMoving(row) && here.accounts.has(id);
  };
  for (const row of there.profiles) {
    const id = String(row.user_id);
    if (isOpen(id)) {
      found.push(...profileDifferences(life, row, here.profiles.get(id) as unknown as Fields));
    }
  }
  for (const row of there.tokens) {
    const id = String(row.id);
    const stored = here.tokens.get(id) as unknown as Fields;
    const owner = String(row.tokenable_id);
    if (life.ended.has(id)) {
      stored && say(`token ${id} has ended, and is here`);
    } else if (isOpen(owner) && !(hasExpired(row) && !stored)) {
      found.push(...tokenDifferences(row, stored));
    } else if (stored && stored.accountId !== owner) {
      say(`token ${id} is of another account`);
    }
  }
  const tokensThere = new Set(there.tokens.map(({ id }) => String(id)));
  for (const [id, { imported }] of here.tokens) {
    imported && !tokensThere.has(id) && say(`token ${id} was revoked there, and is here`);
  }
  return found;
}

type Fields = Record<string, unknown> | undefined;

/** The names of the values that differ. */
const differing = (what: string, pairs: Record<string, readonly [unknown, unknown]>): string[] =>
  Object.entries(pairs)
    .filter(([, [one, other]]) => (one ?? null) !== (other ?? null))
    .map(([name, [one, other]]) => `${what}: ${name} is ${one}, not ${other}`);

function accountDifferences(life: LifeHere, row: Row, stored: StoredAccount): string[] {
  const id = String(row.id);
  const [hasEmail, hasPassword] = [life.emails.has(id), life.passwords.has(id)];
  return differing(`account ${id}`, {
    name: [stored.name, row.name],
    phone: [stored.phone, row.phone],
    dob: [stored.dateOfBirth, row.dob],
    role: [stored.role, row.role],
    createdAt: [stored.createdAt?.getTime(), momentOf(row.created_at)],
    isDisabled: [Boolean(stored.disabledAt), life.disabled.has(id)],
    ...(!hasEmail && { email: [stored.email, row.email] }),
    ...(!hasPassword && { password: [passwordDigest(stored), digestOfHash(String(row.password))] }),
    ...(!hasEmail && { isProvenLaterThere: [provenAt(row) > lastProof(stored), false] }),
    hasLostProof: [hasLostProof(life, stored), false],
    ...(!hasEmail && !hasPassword && { updatedAt: [stored.updatedAt?.getTime(), momentOf(row.updated_at)] }),
  });
}

/** Whole seconds, as the column has them; 0 without a proof. */
const secondsOf = (millis: number | null | undefined): number => Math.floor((millis ?? 0) / 1_000);
const provenAt = ({ email_verified_at }: Row): number => secondsOf(momentOf(email_verified_at));
/** That of the present e-mail or of a former one, whose time the row may still have. */
const lastProof = ({ emailProof }: StoredAccount): number => secondsOf(emailProof?.at.getTime());
/** That of the present e-mail. */
const proofOf = (account: StoredAccount): number =>
  account.emailProof?.emailKey === emailKey(account.email) ? lastProof(account) : 0;

/** True if a proof that was made here has gone. A proof of another e-mail may have taken its place, before the e-mail returned. */
function hasLostProof({ proofs }: LifeHere, stored: StoredAccount): boolean {
  const made = proofs.get(stored._id);
  return made !== undefined && lastProof(stored) < secondsOf(made.at.getTime());
}

const documentsOf = (row: Row): Documents => ({
  licenseFilePath: String(row.license_file_path),
  diplomaFilePath: String(row.diploma_file_path),
  certificationFilePath: row.certification_file_path === null ? null : String(row.certification_file_path),
});

function profileDifferences({ world, statuses, documents }: LifeHere, row: Row, stored: Fields): string[] {
  const id = String(row.user_id);
  if (!stored) {
    return [`profile ${id} is not here`];
  }
  const status = (stored.verification as { status?: string } | undefined)?.status ?? 'pending';
  const wanted = documents.get(id) ?? documentsOf(row);
  const waiting = (stored.resubmitted ?? {}) as Partial<Documents>;
  const paths = [...Object.values(wanted), ...DOCUMENT_FIELDS.map((name) => waiting[name])];
  const missing = paths.filter((one) => one && !existsSync(path.join(world.app.storageDir, String(one))));
  return [
    ...missing.map((one) => `profile ${id}: ${one} is missing`),
    ...differing(`profile ${id}`, {
      specialization: [stored.specialization, row.specialization],
      licenseNumber: [stored.licenseNumber, row.license_number],
      license: [stored.licenseFilePath, wanted.licenseFilePath],
      diploma: [stored.diplomaFilePath, wanted.diplomaFilePath],
      certification: [stored.certificationFilePath, wanted.certificationFilePath],
      institution: [stored.currentInstitution, row.current_institution],
      workHistory: [stored.workHistory, row.work_history],
      publications: [stored.publications, row.publications],
      address: [stored.practiceAddress, row.practice_address],
      createdAt: [(stored.createdAt as Date).getTime(), momentOf(row.created_at) ?? 0],
      status: [status, statuses.get(id) ?? 'pending'],
      isResubmitted: [Boolean(stored.resubmitted), statuses.get(id) === 'pending'],
    }),
  ];
}

function tokenDifferences(row: Row, stored: Fields): string[] {
  const id = String(row.id);
  if (!stored) {
    return [`token ${id} is not here`];
  }
  const used = momentOf(row.last_used_at) ?? 0;
  return differing(`token ${id}`, {
    accountId: [stored.accountId, String(row.tokenable_id)],
    name: [stored.name, row.name],
    secret: [stored.secretHash, row.token],
    abilities: [JSON.stringify(stored.abilities), JSON.stringify(abilitiesOf(row.abilities))],
    expiresAt: [(stored.expiresAt as Date | null)?.getTime(), momentOf(row.expires_at)],
    createdAt: [(stored.createdAt as Date).getTime(), momentOf(row.created_at) ?? 0],
    isUsedLaterThere: [used > Number((stored.lastUsedAt as Date | null) ?? 0), false],
  });
}

/**
 * The accounts that the way back cannot write: a row there that does not move has their e-mail, or the row of an account that
 * cannot be written, either.
 */
function blockedThere({ there, here }: State): Set<string> {
  const holders = new Map(there.accounts.map(({ id, email }) => [emailKey(String(email)), String(id)]));
  const blocked = new Set<string>();
  for (let size = -1; size < blocked.size; ) {
    size = blocked.size;
    for (const [id, { emailKey: key }] of here.accounts) {
      const holder = holders.get(key);
      const other = holder === undefined || holder === id ? undefined : holder;
      const isStuck =
        other !== undefined && (here.accounts.get(other)?.legacyAbsence ?? !here.accounts.has(other));
      if (other !== undefined && (isStuck || blocked.has(other))) {
        blocked.add(id);
      }
    }
  }
  return blocked;
}

/** True for a row whose e-mail `back` has changed, with a proof that the account does not have. */
function hasFormerProof(before: State, row: Row, stored: StoredAccount): boolean {
  const former = before.there.accounts.find(({ id }) => id === row.id);
  const isOther = former !== undefined && emailKey(String(former.email)) !== emailKey(String(row.email));
  return isOther && provenAt(row) !== proofOf(stored);
}

/** What is wrong after the way back, in words. */
export function differencesAfterBack(life: LifeHere, before: State, { there, here }: State): string[] {
  const found: string[] = [];
  const say = (text: string) => void found.push(text);
  const rows = new Map(there.accounts.map((row) => [String(row.id), row]));
  const blocked = blockedThere({ there, here });
  for (const [id, stored] of here.accounts) {
    const row = rows.get(id);
    if (stored.legacyAbsence || stored.erasureDueAt || stored.role === 'reviewer') {
      continue;
    }
    if (blocked.has(id)) {
      continue;
    }
    if (!row) {
      say(`account ${id} is not there`);
      continue;
    }
    const hash = String(row.password);
    const isSamePassword =
      passwordDigest(stored) === digestOfHash(hash) || stored.passwordHash === hash.replace('$2y$', '$2b$');
    found.push(
      ...differing(`account ${id} there`, {
        name: [row.name, stored.name],
        email: [row.email, stored.email],
        password: [isSamePassword, true],
        isProvenLater: [proofOf(stored) > provenAt(row), false],
        isProvenByFormer: [hasFormerProof(before, row, stored), false],
      }),
    );
  }
  for (const { id } of before.there.accounts) {
    const isErased = here.erased.has(String(id));
    rows.has(String(id)) === isErased &&
      say(`account ${id} ${isErased ? 'was erased, and is there' : 'was deleted there'}`);
  }
  for (const { id, user_id } of before.there.profiles) {
    const isThere = there.profiles.some((row) => row.id === id);
    const isErased = here.erased.has(String(user_id));
    isThere === isErased && say(`profile ${id} is ${isThere ? '' : 'not '}there`);
  }
  const tokens = new Map(there.tokens.map((row) => [String(row.id), row]));
  for (const { id, tokenable_id } of before.there.tokens) {
    const owner = String(tokenable_id);
    // Nobody has a valid token of an account that is disabled here.
    const stored = before.here.tokens.get(String(id));
    const hasEnded = life.ended.has(String(id)) || (stored !== undefined && isOver(stored));
    hasEnded && tokens.has(String(id)) && say(`token ${id} has ended, and is there`);
    const isRevoked = hasEnded || life.disabled.has(owner) || here.erased.has(owner);
    !isRevoked && !tokens.has(String(id)) && say(`token ${id} was revoked there`);
  }
  for (const [id, token] of here.tokens) {
    const { accountId, secretHash } = token;
    const isMissing = rows.has(accountId) && tokens.get(id)?.token !== secretHash && !isOver(token);
    isMissing && !here.accounts.get(accountId)?.disabledAt && say(`token ${id} is not there`);
  }
  for (const row of there.profiles) {
    const id = String(row.user_id);
    const stored = here.profiles.get(id);
    const isWritten = stored && !here.accounts.get(id)?.legacyAbsence && !blocked.has(id);
    for (const [name, text] of Object.entries(documentsOf(row))) {
      const wanted = isWritten ? stored[name as keyof Documents] : text;
      const isRight = text === wanted || (wanted && toLegacyPath(wanted) === text);
      isRight || say(`profile ${id} there: ${name} is ${text}, not ${wanted}`);
      text && !existsSync(path.join(life.world.filesDir, text)) && say(`${text} is missing there`);
    }
  }
  return found;
}
