import { inTurns } from '../../../src/api/graphql/in-turns.ts';

const ITEMS = Array.from({ length: 100 }, (_, index) => index);

test('a list in turns has all items in order', async () => {
  expect(await Promise.all(inTurns(ITEMS))).toEqual(ITEMS);
  expect(inTurns([])).toEqual([]);
});

test('other work runs between the items of a long list', async () => {
  const done: (number | string)[] = [];
  setImmediate(() => done.push('other work'));
  await Promise.all(inTurns(ITEMS).map(async (item) => done.push(await item)));
  expect(done.indexOf('other work')).toBeGreaterThan(0);
  expect(done.indexOf('other work')).toBeLessThan(ITEMS.length / 2);
});
