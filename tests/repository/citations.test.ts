import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDERS = ['src', 'packages', 'tests', 'bench', 'schema', 'scripts'];
const SKIPPED = ['node_modules', 'dist', 'generated'];
const TEXT = /\.(?:ts|mts|cts|js|mjs|http|yaml|graphql|md)$/;
/** Such as: docs/contract.md, "Login". A comment may have a line break in it. */
const CITATION = /docs\/(contract|architecture|decisions)\.md,\s+(?:(?:\/\/|\*)\s*)?"([^"]+)"/g;
/** A citation of a document that is not in the repository. */
const DEAD = /\b(?:design|contract),? section \d/i;

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !SKIPPED.includes(name));
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return filesBelow(file);
    }
    return TEXT.test(file) ? [file] : [];
  });
}

const headingsOf = (name: string): string[] =>
  [...readFileSync(`docs/${name}.md`, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);

const isThere = (folder: string): boolean => readdirSync('.').includes(folder);
const sources = FOLDERS.filter(isThere)
  .flatMap(filesBelow)
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

test('every heading that a comment cites is in the document', () => {
  const headings = {
    contract: headingsOf('contract'),
    architecture: headingsOf('architecture'),
    decisions: headingsOf('decisions'),
  };
  const citations = sources.flatMap(({ file, text }) =>
    [...text.matchAll(CITATION)].map(([, document, heading = '']) => ({ file, document, heading })),
  );
  expect(citations.length).toBeGreaterThan(20);
  const broken = citations.filter(
    ({ document, heading }) => !headings[document as keyof typeof headings].includes(heading),
  );
  expect(broken).toEqual([]);
});

test('no comment cites a section of a document that is not in the repository', () => {
  expect(sources.filter(({ text }) => DEAD.test(text)).map(({ file }) => file)).toEqual([]);
});
