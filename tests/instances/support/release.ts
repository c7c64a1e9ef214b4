import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BSON, type Db } from 'mongodb';

/**
 * What release 0.1.0 has stored, without documents: a doctor, patients, one of them logged out, and a failed login. Two
 * accounts have keys as still older versions made them; the e-mail of one of these has another account, too.
 */
const RELEASE = path.resolve('tests/fixtures/release-0.1.0');

interface Person {
  email: string;
  password: string;
  id: string;
  token: string;
}

const PEOPLE = ['doctor', 'patient', 'international', 'twin', 'loggedOut'] as const;

/** Who registered there, with their passwords and the tokens of their registrations. */
export const peopleOfRelease = async (): Promise<Record<(typeof PEOPLE)[number], Person>> =>
  JSON.parse(await readFile(path.join(RELEASE, 'people.json'), 'utf8'));

/** Makes its data folder of the embedded database. */
export async function makeDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const packed = await readFile(path.join(RELEASE, 'data.mdb.gz'));
  await writeFile(path.join(folder, 'data.mdb'), gunzipSync(packed));
}

/** Imports its export into a database, without indexes. */
export async function importRelease(db: Db): Promise<void> {
  for (const file of await readdir(RELEASE)) {
    const [, collection] = /^auth_gateway\.(.*)\.json$/.exec(file) ?? [];
    if (collection !== undefined) {
      const lines = (await readFile(path.join(RELEASE, file), 'utf8')).trim().split('\n');
      await db.collection(collection).insertMany(lines.map((line) => BSON.EJSON.parse(line)));
    }
  }
}
