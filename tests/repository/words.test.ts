import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { identifiersIn } from './support/syntax.ts';

/** Words that only this project understood, and the words of the field in their place (docs/architecture.md, "Words"). */
const REPLACED: readonly [RegExp, string][] = [
  [/^doors?$/, 'channel'],
  [/^desks?$/, 'admin'],
  [/^letters?$/, 'email or message'],
  [/^dut(?:y|ies)$/, 'hook'],
  [/^belongings?$/, 'account data'],
  [/^flaw(?:s|ed)?$/, 'problem or invalid record'],
  [/^misfits?$/, 'type error'],
  [/^(?:booked|bookkeeping)$/, 'recorded or journal'],
  [/^floors?$/, 'layer'],
  [/^rooms?$/, 'folder, module or space'],
  [/^leaving$/, 'privacy or erasure'],
];

/** Names in which such a word has its usual meaning. */
const ALLOWED: readonly { files: RegExp; names: RegExp; reason: string }[] = [
  {
    files: /^src\/stores\/audit-event-record\.ts$/,
    names: /^door$/,
    reason: 'the stored key: the release before this one runs beside it',
  },
  {
    files: /^(?:src\/(?:api|auth|cli\/admin|legacy)|packages\/embedded-mongo\/src)\//,
    names: /^(?:letters?|lettersOf|\w+_LETTERS)$/,
    reason: 'letters of an alphabet',
  },
  {
    files: /^packages\/embedded-mongo\/src\//,
    names: /^\$?floor$/,
    reason: 'the largest whole number that is not above a number',
  },
  {
    files: /^(?:src\/(?:app|cli\/check|database)|packages\/embedded-mongo\/src)\//,
    names: /^(?:room|hasRoom|demandRoom|askForRoom|resolveRoom|judgeRoom|DiskRoom|disk-room\.ts)$/,
    reason: 'free space on a disk',
  },
];

/** The words of a name in camelCase, PascalCase, kebab-case or SNAKE_CASE, in small letters. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);

const namesIn = (file: string, text: string): string[] => [...file.split(path.sep), ...identifiersIn(text)];

/** The names of a source, its file and its folders that have a word which was replaced. */
const refusedIn = (file: string, text: string): string[] =>
  namesIn(file, text)
    .filter((name) => !ALLOWED.some(({ files, names }) => files.test(file) && names.test(name)))
    .flatMap((name) => {
      const words = wordsOf(name);
      const [, better] = REPLACED.find(([word]) => words.some((each) => word.test(each))) ?? [];
      return better === undefined ? [] : [`${file}: ${name} (say ${better})`];
    });

const FOLDERS = ['src', ...readdirSync('packages').map((name) => `packages/${name}/src`)];
const SOURCES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name))
    .map((name) => path.join(folder, name)),
).map((file) => ({ file, text: readFileSync(file, 'utf8') }));

test('no name has a word that only this project understands', () => {
  expect(SOURCES.length).toBeGreaterThan(200);
  expect(SOURCES.flatMap(({ file, text }) => refusedIn(file, text))).toEqual([]);
});

test('every allowed name exists', () => {
  const isFound = ({ files, names }: (typeof ALLOWED)[number]) =>
    SOURCES.some(
      ({ file, text }) => files.test(file) && namesIn(file, text).some((name) => names.test(name)),
    );
  expect(ALLOWED.filter((allowed) => !isFound(allowed)).map(({ reason }) => reason)).toEqual([]);
});

test.each([
  'const door = 1;',
  'const frontDoors = [];',
  'class MailDesk {}',
  'interface LetterParts {}',
  'type Duty = string;',
  'const DUTIES = [];',
  'function belongingsOf() {}',
  'const flawed = true;',
  'const problem = { misfit: 1 };',
  'class Work { #booked = 0; }',
  'const { bookkeeping } = storage;',
  'export { layers as floors } from "./layers.ts";',
  'call(options.room);',
])('%s is found', (text) => {
  expect(refusedIn('src/auth/invented.ts', text)).toHaveLength(1);
});

test.each(['src/mail/letter.ts', 'src/stores/room/invented.ts', 'packages/guard/src/back-door.ts'])(
  'a file %s is found',
  (file) => {
    expect(refusedIn(file, 'const name = 1;')).toHaveLength(1);
  },
);

test.each([
  'const text = "door"; // the desk and its letters',
  'const half = Math.floor(size / 2);',
  'const mushroom = 1;',
  'const indoors = `letters`;',
])('%s is allowed', (text) => {
  expect(refusedIn('src/auth/invented.ts', text)).toEqual([]);
});
