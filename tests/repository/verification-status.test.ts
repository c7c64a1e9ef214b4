import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Whether a doctor is verified depends on the time. So nobody reads the stored status or compares one with a word: `storedStatusOf` and
// `statusAt` are for that. A third way would let doctors pass whose verification has ended.

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('src', name));

/** Where the two functions are, the record of another program is checked, and outcomes of decisions are compared. */
const MAY_READ = new Set([
  'src/stores/verification-record.ts',
  'src/stores/invalid-records.ts',
  'src/auth/reviews/decisions.ts',
]);

const WORD = String.raw`(?:(?:\w*STATUSES\.)?(?:PENDING|VERIFIED|REJECTED|SUSPENDED|EXPIRED)\b|'(?:pending|verified|rejected|suspended|expired)')`;
const RIGHT = /\b(?:storedStatusOf|statusAt)\(.*\) [!=]== /;
const COMPARISON = new RegExp(String.raw`[!=]==\s*${WORD}|${WORD}\s*[!=]==`);
const READ = /(?<!')\bverification\)?[?!]?\.status\b|\{[^{}=]*\bstatus\b[^{}=]*\}\s*=.*\bverification\b/;

/** Comparisons of other things: of what the two functions have returned, of an outcome, of an option. */
const OTHERS = [
  "src/api/services/forward-auth.routes.ts: } else if (name === 'verified' && value === 'true') {",
  'src/api/services/introspection.routes.ts: ...(verification && { verification: verification.status }),',
  'src/auth/forward-authentication.ts: if (required.isVerified && verification !== VERIFICATION_STATUSES.VERIFIED) {',
  'src/cli/admin/doctor-commands.ts: const { status, decidedAt, reason, until } = verification;',
  'src/legacy/back/back.ts: (status === REJECTED || status === SUSPENDED) &&',
  "src/legacy/import/import-files.ts: const failed = ended.find(({ status }) => status === 'rejected');",
  "src/legacy/import/import-files.ts: if (failed?.status === 'rejected') {",
  "src/legacy/records/legacy-record.ts: doctors: options.doctors === 'verified' ? 'verified' : 'pending',",
  "src/legacy/records/profile-kind.ts: const isVerified = policy.doctors === 'verified';",
  "src/stores/doctor-queue.ts: const isByEnd = which === 'ending' || which === VERIFICATION_STATUSES.EXPIRED;",
  'src/stores/doctor-queue.ts: if (which === EXPIRED) {',
  'src/stores/doctor-queue.ts: return which === PENDING ? [decidedOn, notDecidedOn] : [decidedOn];',
];

const wrongIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => (COMPARISON.test(line) && !RIGHT.test(line)) || READ.test(line));

test('the status of a doctor is read by two functions only', () => {
  const wrong = sources
    .filter((file) => !MAY_READ.has(file))
    .flatMap((file) => wrongIn(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`));
  expect(wrong.sort()).toEqual(OTHERS);
});

test.each([
  "if (profile.verification?.status === 'verified') {",
  'return profile.verification?.status;',
  'const { status } = profile.verification ?? {};',
  'const isVerified = verification !== VERIFICATION_STATUSES.VERIFIED;',
])('%s would be noticed', (line) => expect(wrongIn(line)).toEqual([line]));
