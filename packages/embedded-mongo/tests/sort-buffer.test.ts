import { SortBuffer, Sorter } from '../src/query/sort.ts';
import { randomFrom } from './support/random.ts';

const random = randomFrom(1);
const raw = Buffer.alloc(1);
const items = Array.from({ length: 10_500 }, (_, place) => ({ raw, place, a: Math.floor(random() * 500) }));
/** Of equal items, the one that came first comes first. */
const expected = [...items].sort((x, y) => x.a - y.a || x.place - y.place);

function sorted(keep: number) {
  const buffer = new SortBuffer<(typeof items)[number]>(new Sorter({ a: 1 }), keep);
  for (const item of items) {
    buffer.add(item, item);
  }
  return [...buffer.sorted()];
}

test.each([Infinity, 10_500, 4000, 999, 1, 0])('of many items, the first %d are sorted', (keep) => {
  expect(sorted(keep).filter((item) => item !== undefined)).toEqual(expected.slice(0, keep));
});

test('a long sort has pauses, in which other commands may go first', () => {
  expect(sorted(Infinity).filter((item) => item === undefined).length).toBeGreaterThan(10);
});
