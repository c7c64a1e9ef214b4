import { type DocumentNode, parse } from 'graphql';
import { ParsedDocuments } from '../../../src/api/graphql/fast-path.ts';

const MAX_DOCUMENTS = 100;

test('a document is kept under its key until it is deleted', async () => {
  const documents = new ParsedDocuments();
  const document = parse('{ me { id } }');
  expect(await documents.get('a')).toBeUndefined();
  await documents.set('a', document);
  expect(await documents.get('a')).toBe(document);
  expect(await documents.delete('a')).toBe(true);
  expect(await documents.get('a')).toBeUndefined();
});

test('a flood of documents removes only the least recently used one', async () => {
  const documents = new ParsedDocuments();
  const document = parse('{ me { id } }');
  for (let index = 0; index < MAX_DOCUMENTS; index += 1) {
    await documents.set(`${index}`, document);
  }
  expect(await documents.get('0')).toBe(document);
  await documents.set('one more', document);
  expect(await documents.get('1')).toBeUndefined();
  expect(await documents.get('0')).toBe(document);
  expect(await documents.get('2')).toBe(document);
});

test('a document with a long text is not kept, even if the text is only a comment', async () => {
  const documents = new ParsedDocuments();
  await documents.set('a', parse(`{ me { id } } # ${'x'.repeat(20_000)}`));
  expect(await documents.get('a')).toBeUndefined();
});

test('a document is found by its text for as long as it is kept', async () => {
  const documents = new ParsedDocuments();
  const [first, again, long] = ['{ a }', '{ a }', `{ a } # ${'x'.repeat(20_000)}`].map((text) => parse(text));
  await documents.set('a', first as DocumentNode);
  expect(documents.findValid('{ a }')).toBe(first);
  expect(documents.findValid('{ a } ')).toBeUndefined();
  // Two requests may parse a new document at the same time.
  await documents.set('a', again as DocumentNode);
  expect(documents.findValid('{ a }')).toBe(again);
  await documents.set('long', long as DocumentNode);
  expect(documents.findValid(long?.loc?.source.body ?? '')).toBeUndefined();
  for (let index = 0; index < MAX_DOCUMENTS; index += 1) {
    await documents.set(`${index}`, parse(`{ a${index} }`));
    // Used all the time, and by its text only.
    expect(documents.findValid('{ a0 }')).toBeDefined();
  }
  expect(documents.findValid('{ a }')).toBeUndefined();
  expect(documents.findValid('{ a0 }')).toBeDefined();
  await documents.delete('0');
  expect(documents.findValid('{ a0 }')).toBeUndefined();
});
