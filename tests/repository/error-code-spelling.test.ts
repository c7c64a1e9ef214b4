import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, isEnumType } from 'graphql';

const PLACES = ['README.md', 'SECURITY.md', 'docs', 'examples', 'pages', 'schema', 'src', 'packages'];
const SKIPPED = /(?:^|\/)(?:node_modules|dist|tests|embedded-mongo)(?:\/|$)/;
const TEXT = /\.(?:ts|tsx|js|mjs|md|graphql|php)$/;

const filesIn = (place: string): string[] =>
  path.extname(place)
    ? [place]
    : readdirSync(place, { recursive: true, encoding: 'utf8' }).map((name) => path.join(place, name));

const codes = (): string[] => {
  const type = buildSchema(readFileSync('schema/schema.graphql', 'utf8')).getType('ErrorCode');
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
};

/** `TOO_MANY_ATTEMPTS`, `TooManyAttempts` and `too-many-attempts` are one word. */
const wordOf = (text: string): string => text.replace(/[_-]/g, '').toUpperCase();

test('error codes are spelled everywhere as in the schema', () => {
  // A code of one word is also an ordinary word.
  const byWord = new Map(
    codes().flatMap((code) => (code.includes('_') ? [[wordOf(code), code]] : [])) as [string, string][],
  );
  expect(byWord.size).toBeGreaterThan(10);
  const files = PLACES.flatMap(filesIn).filter((file) => TEXT.test(file) && !SKIPPED.test(file));
  // What follows `error=` is of the header WWW-Authenticate, and spelled as its RFC has it.
  const others = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:(?<!\berror=)(['"`])([\w-]+)\1|\bErrorCode\.(\w+))/g)]
      .map(([, , quoted, constant]) => quoted ?? constant ?? '')
      .filter((text) => (byWord.get(wordOf(text)) ?? text) !== text)
      .map((text) => `${file}: ${text}`),
  );
  expect(others).toEqual([]);
});
