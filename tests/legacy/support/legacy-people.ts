import { readFileSync } from 'node:fs';

/** A row of the table accounts, and the password that its hash was made of. Times are in the form of the database. */
export interface LegacyAccount {
  id: number;
  name: string;
  email: string;
  phone: string;
  dob: string | null;
  role: 'patient' | 'doctor' | 'admin';
  /** As it is typed at login. */
  password: string;
  hash: string;
  createdAt: string | null;
  updatedAt: string | null;
}

interface MadeByPhp {
  passwords: { case: string; password: string; hash: string }[];
  tokens: { case: string; plain: string; secret: string; hash: string }[];
}

/** Hashes and tokens that PHP has made. The tokens are those of each version of Laravel Sanctum. */
export const MADE_BY_PHP: MadeByPhp = JSON.parse(
  readFileSync('tests/services/support/php-made.json', 'utf8'),
);

function hashOf(kind: string): { password: string; hash: string } {
  const { passwords } = MADE_BY_PHP;
  // `argon2i` is also the beginning of `argon2id`.
  const found =
    passwords.find((made) => made.case === kind) ?? passwords.find((made) => made.case.startsWith(kind));
  if (found === undefined) {
    throw new Error(`php-made.json has no password ${kind}`);
  }
  return { password: found.password, hash: found.hash };
}

const TIMES = { createdAt: '2024-02-29 12:00:00', updatedAt: '2024-03-01 08:30:15' };
const BCRYPT_10 = hashOf('bcrypt $2y$ cost 10');
const BCRYPT_12 = hashOf('bcrypt $2y$ cost 12');

const aLegacy =
  (role: LegacyAccount['role']) =>
  (id: number, name: string, fields: Partial<LegacyAccount> = {}): LegacyAccount => ({
    id,
    name,
    email: `${name.toLowerCase().replaceAll(' ', '.')}@example.org`,
    phone: `+49 30 ${id}`,
    dob: role === 'patient' ? '1984-02-29' : null,
    role,
    ...BCRYPT_10,
    ...TIMES,
    ...fields,
  });
const aDoctor = aLegacy('doctor');
const aPatient = aLegacy('patient');

/** The accounts of the legacy service, by what is special about each. */
export const LEGACY_ACCOUNTS = {
  doctor: aDoctor(1, 'Dora Complete', BCRYPT_12),
  doctorWithoutCertification: aDoctor(2, 'Dan Uncertified'),
  doctorWithoutProfile: aDoctor(3, 'Doris Profileless'),
  doctorWithMissingFile: aDoctor(4, 'Dirk Missing'),
  doctorWithLargeFile: aDoctor(5, 'Dilara Large'),
  patient: aPatient(10, 'Pat Zoë 🙂', { email: 'pat@example.org' }),
  cost12: aPatient(11, 'Paul Twelve', BCRYPT_12),
  longPassword: aPatient(12, 'Petra Long', hashOf('80 bytes')),
  decomposedPassword: aPatient(13, 'Pierre Decomposed', hashOf('typed decomposed')),
  argon2id: aPatient(14, 'Pia Argon', hashOf('argon2id')),
  argon2i: aPatient(15, 'Peer Argon', hashOf('argon2i')),
  withoutDates: aPatient(16, 'Polly Dateless', { dob: null, createdAt: null, updatedAt: null }),
  capitalEmail: aPatient(17, 'Palle Capital', { email: 'Palle.Capital@Example.ORG' }),
  admin: aLegacy('admin')(30, 'Ada Admin'),
  /** Its id needs more than 32 bits. */
  largeId: aPatient(4_294_967_311, 'Pavel Largeid'),
} satisfies Record<string, LegacyAccount>;
