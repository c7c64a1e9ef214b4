import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import type { TestDatabase } from '../../support/database.ts';
import { PROMISED_MILLIS } from '../../support/outages.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import type { Answer, Load, Person } from './load.ts';

/*
 * The judge knows only the answers, and what is stored. It knows nothing of the servers and their outages, so the same judge is
 * for a lone engine and for a replica set.
 */

/** The event of an answered act is stored within this time after a primary is back. */
const EVENT_MILLIS = 5_000;
const PAUSE_MILLIS = 100;

/** What is wrong with the answers themselves, but for their time. */
export const judgeAnswers = (answers: readonly Answer[]): string[] =>
  answers.flatMap(({ act, status, isSuccess, retryAfter, problem }) => [
    ...(isSuccess || status === 503
      ? []
      : [`${act}: answered with ${status}${problem ? `, ${problem}` : ''}`]),
    ...(status === 503 && !(Number(retryAfter) >= 1) ? [`${act}: 503 without Retry-After`] : []),
  ]);

/** The answers that came too late. On a busy machine that says little. */
export const judgeTimes = (answers: readonly Answer[]): string[] =>
  answers
    .filter(({ millis }) => millis > PROMISED_MILLIS)
    .map(({ act, millis }) => `${act}: answered after ${Math.round(millis)} ms`);

/** Waits for the events of all acts that were answered so far. Call it when a primary is back. @returns what is missing then */
export async function judgeEvents(
  { answers }: Pick<Load, 'answers'>,
  { db }: TestDatabase,
): Promise<string[]> {
  const answered = answers.filter(({ isSuccess }) => isSuccess);
  const deadline = performance.now() + EVENT_MILLIS;
  const events = db.collection<StoredAuditEvent>('audit_events');
  for (;;) {
    const isLast = performance.now() >= deadline;
    const recorded = new Set(await events.distinct('requestId', { outcome: 'success' }));
    const missing = answered.filter(({ requestId }) => requestId === null || !recorded.has(requestId));
    if (missing.length === 0 || isLast) {
      // An event with another outcome would be another defect.
      const others = await events
        .find({ requestId: { $in: missing.map(({ requestId }) => requestId ?? '') } })
        .toArray();
      return missing.map(({ act, requestId }) => {
        const other = others.find((event) => event.requestId === requestId);
        return `${act}: no event of ${requestId} after 5 s${other ? `, but a ${other.outcome}` : ''}`;
      });
    }
    await wait(PAUSE_MILLIS);
  }
}

interface Evidence {
  people: readonly Person[];
  database: TestDatabase;
  /** A gateway. */
  url: string;
  storageDir: string;
}

/** Compares what is stored with what was answered. @returns a sentence for each act that is lost, undone or half done */
export async function judgePeople({ people, ...stored }: Evidence): Promise<string[]> {
  const findings: string[] = [];
  for (const person of people) {
    const found = await judgePerson(person, stored);
    findings.push(...found.map((finding) => `${person.role} ${person.email}: ${finding}`));
  }
  return findings;
}

async function judgePerson(person: Person, { database, url, storageDir }: Omit<Evidence, 'people'>) {
  const account = await database.accounts.findOne({ email: person.email });
  if (!account) {
    return person.registered === 'yes' ? ['the registration is lost'] : [];
  }
  const isClosed = account.disabledAt instanceof Date && account.erasureDueAt instanceof Date;
  const doctor =
    person.role === 'doctor' ? await judgeDoctor(person, account._id, { database, storageDir }) : [];
  return [
    ...doctor,
    ...((person.closed === 'yes' && !isClosed) || (person.closed === 'no' && isClosed)
      ? [`closed is ${isClosed}, and the answer says ${person.closed}`]
      : []),
    ...(await judgeTokens(person, url)),
    ...(isClosed ? [] : await judgePasswords(person, url)),
  ];
}

async function judgeDoctor(
  { approved }: Person,
  id: string,
  { database, storageDir }: Pick<Evidence, 'database' | 'storageDir'>,
): Promise<string[]> {
  const profile = await database.profiles.findOne({ _id: id });
  if (!profile) {
    return ['the account has no profile'];
  }
  const { licenseFilePath, diplomaFilePath, certificationFilePath, verification } = profile;
  const documents = [licenseFilePath, diplomaFilePath, certificationFilePath ?? ''];
  const lost = documents.filter((document) => !existsSync(path.join(storageDir, document)));
  const isApproved = verification?.status === 'verified';
  return [
    ...lost.map((document) => `the document ${document} is lost`),
    ...((approved === 'yes' && !isApproved) || (approved === 'no' && isApproved)
      ? [`approved is ${isApproved}, and the answer says ${approved}`]
      : []),
  ];
}

async function judgeTokens({ heldTokens, endedTokens }: Person, url: string): Promise<string[]> {
  // A token that ended with its password may still be stored, but is not valid any more.
  const isValid = async (token: string) => (await accountOf(url, token)) !== undefined;
  const held = await Promise.all(heldTokens.map(isValid));
  const ended = await Promise.all(endedTokens.map(isValid));
  return [
    ...held.filter((valid) => !valid).map(() => 'a token is lost'),
    ...ended.filter((valid) => valid).map(() => 'an ended token is still valid'),
  ];
}

async function judgePasswords(
  { email, passwords, formerPasswords, registered }: Person,
  url: string,
): Promise<string[]> {
  const logsIn = async (password: string) => (await restApi(url).login({ email, password })).ok;
  const working: string[] = [];
  for (const password of passwords) {
    if (await logsIn(password)) {
      working.push(password);
    }
  }
  const former = await Promise.all(formerPasswords.map(logsIn));
  return [
    ...(working.length === 1
      ? []
      : [`${working.length} of ${passwords.length} passwords log in (${registered})`]),
    ...former.filter((isIn) => isIn).map(() => 'a former password still logs in'),
  ];
}
