import { inBatches } from '../../../src/api/graphql/long-responses.ts';

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

test('a list in turns has all items in order', async () => {
  expect(await Promise.all(inBatches(ITEMS))).toEqual(ITEMS);
  expect(inBatches([])).toEqual([]);
});

test('other work runs between the items of a long list', async () => {
  const done: (number | string)[] = [];
  setImmediate(() => done.push('other work'));
  await Promise.all(inBatches(ITEMS).map(async (item) => done.push(await item)));
  expect(done.indexOf('other work')).toBeGreaterThan(0);
  expect(done.indexOf('other work')).toBeLessThan(ITEMS.length / 2);
});
