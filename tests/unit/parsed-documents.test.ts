import { parse } from 'graphql';
import { ParsedDocuments } from '../../src/graphql/parsed-documents.ts';

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
