import type { Document } from 'bson';
import { explained } from '../support/explained-queries.ts';
import { EMPTY_PROFILE, type Fields } from '../support/people.ts';
import { problemsOf } from '../support/query-plans.ts';
import { doctorsOf, newReviewer } from '../support/reviews.ts';
import { onEachCommand } from '../support/sent-commands.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';

// A gateway with 100,000 doctors whose verification ends, and who have all ends in common with hundreds of others.
const DOCTORS = 100_000;
const DAY = 86_400_000;
/** The last 500 days and the next 500. */
const DAYS = 1_000;

const app = useTestApp({}, undefined, ...REAL_TIME);

const idOf = (index: number): string => index.toString(16).padStart(24, '0');
const today = new Date(new Date().toISOString().slice(0, 10)).getTime();
const endOf = (index: number): Date =>
  new Date(today + (Math.floor(index / (DOCTORS / DAYS)) - DAYS / 2) * DAY);

beforeAll(async () => {
  for (let begin = 0; begin < DOCTORS; begin += 5_000) {
    const numbers = Array.from({ length: 5_000 }, (_, index) => begin + index);
    const createdAt = new Date(today - DAYS * DAY);
    const accounts = numbers.map((index): Document => {
      const email = `doctor-${index}@example.net`;
      const person = {
        _id: idOf(index),
        name: `Doctor ${index}`,
        email,
        emailKey: email,
        phone: null,
        dateOfBirth: null,
      };
      return {
        ...person,
        role: 'doctor',
        passwordHash: '-',
        createdAt,
        updatedAt: createdAt,
        disabledAt: null,
      };
    });
    const profiles = numbers.map((index): Document => {
      const texts = { specialization: 'Cardiology', licenseNumber: `MD-${index}` };
      const paths = {
        licenseFilePath: `licenses/${index}.pdf`,
        diplomaFilePath: `diplomas/${index}.pdf`,
        certificationFilePath: null,
      };
      const decided = {
        decidedAt: createdAt,
        reason: null,
        submittedAt: new Date(createdAt.getTime() + index),
      };
      const verification = { status: 'verified', ...decided, until: endOf(index) };
      return { _id: idOf(index), ...texts, ...paths, ...EMPTY_PROFILE, createdAt, verification, revision: 1 };
    });
    await app.database.db.collection<Document>('accounts').insertMany(accounts);
    await app.database.db.collection<Document>('doctor_profiles').insertMany(profiles);
  }
}, 300_000);

/** Reads a list page by page until it is enough. @returns the ids, and what is wrong with the queries */
async function readList(which: Fields, isEnough: (ids: string[], pages: number) => boolean) {
  const { token } = await newReviewer(app);
  const asked: ReturnType<typeof explained>[] = [];
  const stop = onEachCommand((name, command) => {
    if (command.find === 'doctor_profiles' && command.$db === app.database.db.databaseName) {
      asked.push(explained(app.database.db, name, command));
    }
  });
  const ids: string[] = [];
  const took: number[] = [];
  for (let after: string | null = null; !isEnough(ids, took.length); ) {
    const begin = performance.now();
    const { ids: found, pageInfo } = await doctorsOf(app, token, { ...which, first: 100, after });
    took.push(Math.round(performance.now() - begin));
    ids.push(...found);
    expect(pageInfo.hasNextPage).toBe(true);
    after = pageInfo.endCursor ?? null;
  }
  stop();
  const [pages, slowest] = [took.length, Math.max(...took)];
  process.stdout.write(`${JSON.stringify(which)}: ${pages} pages of 100, the slowest took ${slowest} ms\n`);
  return { ids, problems: problemsOf((await Promise.all(asked)).flat()) };
}

const endOfId = (id: string): number => endOf(Number.parseInt(id, 16)).getTime();

test.each([
  [{ ending: true }, (end: number, now: number) => end > now && end <= now + 60 * DAY],
  [{ status: 'EXPIRED' }, (end: number, now: number) => end <= now],
])('the list %j is read by its index, in the order of the ends', async (which, isRight) => {
  const { ids, problems } = await readList(which, (_, pages) => pages === 3);
  expect(problems).toEqual([]);
  expect(new Set(ids).size).toBe(300);
  const ends = ids.map(endOfId);
  expect(ends.every((end) => isRight(end, Date.now()))).toBe(true);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
});

test('the list of the verified leaves out the first 50,000, who have expired, in short pages', async () => {
  const { ids, problems } = await readList({ status: 'VERIFIED' }, (found) => found.length > 0);
  expect(problems).toEqual([]);
  expect(ids.every((id) => endOfId(id) > Date.now())).toBe(true);
});
