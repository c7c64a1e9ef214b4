import { ServiceUnavailableError, TooManyAttemptsError } from '../../../src/system/errors.ts';
import { capacityLimits, SharedCapacity } from '../../../src/system/shared-capacity.ts';

const RETRY_AFTER_SECONDS = 7;

const LIMITS = {
  all: { places: 30, bytes: 1000 },
  block: { places: 10, bytes: 600 },
  line: { places: 6, bytes: 500 },
  address: { places: 3, bytes: 400 },
};

const aCapacity = () =>
  new SharedCapacity({ name: 'tests', limits: LIMITS, retryAfterSeconds: RETRY_AFTER_SECONDS });

/** Takes so many places. */
const fill = (capacity: SharedCapacity, places: number, addressOf: (index: number) => string) => {
  for (let index = 0; index < places; index += 1) {
    capacity.take(addressOf(index), 0);
  }
};

const ADDRESS = '192.0.2.1';
const BLOCKS = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8:1:1::/64'];

test('the places of an address are limited, and one that is given back is free again', () => {
  const capacity = aCapacity();
  const held = [1, 2, 3].map(() => capacity.take(ADDRESS, 0));
  expect(() => capacity.take(ADDRESS, 0)).toThrow(TooManyAttemptsError);
  held[0]?.leave();
  capacity.take(ADDRESS, 0);
  expect(() => capacity.take(ADDRESS, 0)).toThrow(TooManyAttemptsError);
});

test('the bytes of an address are limited, those taken at once and those taken later', () => {
  const capacity = aCapacity();
  capacity.take(ADDRESS, 300);
  expect(() => capacity.take(ADDRESS, 101)).toThrow(TooManyAttemptsError);
  const growing = capacity.take(ADDRESS, 0);
  growing.growTo(100);
  expect(() => growing.growTo(101)).toThrow(TooManyAttemptsError);
  expect(growing.heldBytes).toBe(100);
});

test.each([
  ['a /24', 10, (index: number) => `192.0.2.${index}`],
  ['a /56', 6, (index: number) => `2001:db8:1:${index}::/64`],
  ['a /48', 10, (index: number) => `2001:db8:1:${index}00::/64`],
])('all addresses of %s share %i places', (_, places, addressOf) => {
  const capacity = aCapacity();
  fill(capacity, places, addressOf);
  expect(() => capacity.take(addressOf(places), 0)).toThrow(TooManyAttemptsError);
  capacity.take('198.51.100.1', 0);
});

test('places and bytes are limited in all, with 503', () => {
  const places = aCapacity();
  fill(places, 30, (index) => `10.0.${index}.1`);
  expect(() => places.take('10.1.0.1', 0)).toThrow(ServiceUnavailableError);

  const bytes = aCapacity();
  const [one = '', two = '', three = ''] = BLOCKS;
  bytes.take(one, 400);
  bytes.take(two, 400);
  const growing = bytes.take(three, 0);
  expect(() => growing.growTo(201)).toThrow(ServiceUnavailableError);
  growing.growTo(200);
});

test('a small holder passes the limit on the bytes of all, not that of its network or of the places', () => {
  const capacity = new SharedCapacity({
    name: 'tests',
    limits: { ...LIMITS, all: { places: 4, bytes: 700 } },
    smallBytes: 10,
    retryAfterSeconds: 1,
  });
  const [one = '', two = '', three = '', four = ''] = BLOCKS;
  capacity.take(one, 400);
  const held = capacity.take(two, 300);
  const small = capacity.take(three, 10);
  expect(() => capacity.take(three, 11)).toThrow(ServiceUnavailableError);
  expect(() => small.growTo(11)).toThrow(ServiceUnavailableError);
  expect(small.heldBytes).toBe(10);
  expect(() => capacity.take(one, 1)).toThrow(TooManyAttemptsError);
  const growing = capacity.take(four, 0);
  growing.growTo(10);
  expect(() => capacity.take(four, 1)).toThrow(ServiceUnavailableError);

  held.leave();
  small.growTo(11);
});

test('both refusals say when to try again', () => {
  const capacity = aCapacity();
  for (const address of BLOCKS.slice(0, 2)) {
    capacity.take(address, 400);
  }
  const wait = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
  const own = expect.objectContaining({ status: 429, headers: expect.objectContaining(wait) });
  expect(() => capacity.take(ADDRESS, 1)).toThrow(own);
  const all = { status: 503, detail: 'no capacity for tests' };
  const headers = expect.objectContaining({ 'Retry-After': expect.stringMatching(/^[1-9]/) });
  expect(() => capacity.take('203.0.113.1', 300)).toThrow(expect.objectContaining({ ...all, headers }));
});

test('bytes within those that are held take no more', () => {
  const held = aCapacity().take(ADDRESS, 400);
  for (const bytes of [1, 200, 400]) {
    held.growTo(bytes);
  }
  expect(held.heldBytes).toBe(400);
});

test('what was refused is not taken, at no level', () => {
  const capacity = aCapacity();
  const [one = '', two = '', three = ''] = BLOCKS;
  capacity.take(one, 400);
  capacity.take(two, 400);
  expect(() => capacity.take(three, 300)).toThrow(ServiceUnavailableError);
  capacity.take(three, 200);
  expect(() => capacity.take('192.0.2.2', 300)).toThrow(TooManyAttemptsError);
  expect(() => capacity.take('192.0.2.2', 1)).toThrow(ServiceUnavailableError);
});

test('everything is given back only once, and what was left takes no more', () => {
  const capacity = aCapacity();
  const first = capacity.take(ADDRESS, 200);
  capacity.take(ADDRESS, 200);
  first.leave();
  first.leave();
  first.growTo(400);
  capacity.take(ADDRESS, 200);
  expect(() => capacity.take(ADDRESS, 1)).toThrow(TooManyAttemptsError);
});

test('networks that hold nothing are forgotten', () => {
  const capacity = aCapacity();
  for (let round = 0; round < 1000; round += 1) {
    const held = capacity.take(`10.${round % 256}.${round >> 8}.1`, 300);
    held.growTo(400);
    held.leave();
  }
  for (const [address, bytes] of [
    ['10.0.0.1', 400],
    ['10.1.0.1', 400],
    ['10.2.0.1', 200],
  ] as const) {
    capacity.take(address, bytes);
  }
});

test('a line has twice the share of an address, and a block the geometric mean of an address and all', () => {
  const limits = capacityLimits({ places: 300, bytes: 3000 }, { places: 30, bytes: 900 });
  expect(limits).toEqual({
    all: { places: 300, bytes: 3000 },
    block: { places: 94, bytes: 1643 },
    line: { places: 60, bytes: 1643 },
    address: { places: 30, bytes: 900 },
  });
});

test('a wider network never has less than a narrower one', () => {
  const limits = capacityLimits({ places: 3, bytes: 100 }, { places: 4, bytes: 100 });
  expect([limits.block, limits.line]).toEqual([
    { places: 4, bytes: 100 },
    { places: 4, bytes: 100 },
  ]);
});

test('ten addresses of a /24 that take all they can leave most places of 300 to others', () => {
  const limits = capacityLimits({ places: 300, bytes: 1 }, { places: 30, bytes: 1 });
  const capacity = new SharedCapacity({ name: 'tests', limits, retryAfterSeconds: 1 });
  let taken = 0;
  for (let index = 0; index < 300; index += 1) {
    try {
      capacity.take(`192.0.2.${index % 10}`, 0);
      taken += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(TooManyAttemptsError);
    }
  }
  expect(taken).toBe(94);
  capacity.take('198.51.100.1', 0);
});
