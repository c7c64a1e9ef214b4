import { FairQueue } from '../../../src/system/fair-queue.ts';

interface Job {
  name: string;
}

/** A queue, and the names of the jobs that it has refused. */
function aQueue(places: number) {
  const queue = new FairQueue<Job>(places);
  const refused: string[] = [];
  const add = (name: string, address: string): Job => {
    const job = { name };
    const loser = queue.add(job, address);
    if (loser) {
      refused.push(loser.name);
    }
    return job;
  };
  const addAll = (count: number, addressOf: (index: number) => string) => {
    for (let index = 0; index < count; index += 1) {
      add(`${addressOf(index)} #${index}`, addressOf(index));
    }
  };
  const order = (count = queue.size) => Array.from({ length: count }, () => queue.next()?.name);
  return { queue, refused, add, addAll, order };
}

const hex = (index: number): string => index.toString(16);

test('the jobs of one address leave in their order', () => {
  const { add, order } = aQueue(10);
  for (const name of ['first', 'second', 'third']) {
    add(name, '192.0.2.1');
  }
  expect(order(4)).toEqual(['first', 'second', 'third', undefined]);
});

test('addresses of different networks take turns', () => {
  const { add, order } = aQueue(10);
  for (const name of ['crowd 1', 'crowd 2', 'crowd 3']) {
    add(name, '192.0.2.1');
  }
  add('one', '198.51.100.1');
  add('another', '2001:db8:1:1::/64');
  add('one again', '198.51.100.1');
  expect(order()).toEqual(['crowd 1', 'one', 'another', 'crowd 2', 'one again', 'crowd 3']);
});

test.each([
  ['IPv4 addresses of a /24', (index: number) => `192.0.2.${index}`],
  ['/64 networks of a /56', (index: number) => `2001:db8:1:${hex(index)}::/64`],
  ['/56 networks of a /48', (index: number) => `2001:db8:1:${hex(index)}00::/64`],
])('150 %s have one turn together', (_, addressOf) => {
  const { addAll, add, order } = aQueue(1000);
  addAll(150, addressOf);
  add('owner 1', '198.51.100.1');
  add('owner 2', '198.51.100.1');
  expect(order(4).filter((name) => name?.startsWith('owner'))).toEqual(['owner 1', 'owner 2']);
});

test('within a /48 the /56 networks take turns, within them the /64 networks, and within a /24 the addresses', () => {
  const { add, addAll, order } = aQueue(1000);
  addAll(5, () => '2001:db8:1:1::/64');
  addAll(5, (index) => `2001:db8:1:${hex(2 + index)}::/64`);
  add('same /56', '2001:db8:1:ff::/64');
  add('same /48', '2001:db8:1:100::/64');
  expect(order().slice(0, 13).indexOf('same /48')).toBe(1);

  addAll(20, () => '192.0.2.1');
  add('neighbour', '192.0.2.2');
  expect(order(2)).toEqual(['192.0.2.1 #0', 'neighbour']);
});

test('a network whose jobs have all left joins behind the others', () => {
  const { add, order } = aQueue(10);
  add('one', '192.0.2.1');
  add('other', '198.51.100.1');
  expect(order(1)).toEqual(['one']);
  add('one again', '192.0.2.1');
  expect(order()).toEqual(['other', 'one again']);
});

describe('when all places are taken', () => {
  test('the network with the most waiting jobs loses its newest', () => {
    const { queue, refused, add, addAll, order } = aQueue(4);
    addAll(3, () => '192.0.2.1');
    add('other', '198.51.100.1');
    add('newcomer', '203.0.113.1');
    expect(refused).toEqual(['192.0.2.1 #2']);
    expect(queue.size).toBe(4);
    expect(order()).toEqual(['192.0.2.1 #0', 'other', 'newcomer', '192.0.2.1 #1']);
  });

  test('a job of the largest network is refused itself', () => {
    const { refused, add, addAll } = aQueue(4);
    addAll(3, () => '192.0.2.1');
    add('other', '198.51.100.1');
    add('one more', '192.0.2.1');
    expect(refused).toEqual(['one more']);
  });

  test('among networks of the same size the newest job is refused', () => {
    const { queue, refused, add, addAll } = aQueue(4);
    addAll(4, (index) => `10.0.${index}.1`);
    expect(queue.isFull).toBe(true);
    add('newcomer', '203.0.113.1');
    expect(refused).toEqual(['newcomer']);
  });

  // One home line, whose owner could send from 256 networks.
  test('1,024 jobs from 150 /64 networks of a /56 give way to every other network', () => {
    const { queue, refused, add, addAll, order } = aQueue(1024);
    addAll(1024, (index) => `2001:db8:1:${hex(index % 150)}::/64`);
    expect([queue.size, queue.isFull]).toEqual([1024, false]);
    const others = Array.from({ length: 100 }, (_, index) => `198.51.${index}.1`);
    for (const address of others) {
      add(address, address);
    }
    expect(refused).toHaveLength(100);
    expect(refused.every((name) => name.startsWith('2001:db8:1:'))).toBe(true);
    add('neighbour', '2001:db8:1:100::/64');
    expect(refused.at(-1)).not.toBe('neighbour');
    expect(order(102).filter((name) => name?.startsWith('198'))).toEqual(others);
  });
});

test('a job that is taken out makes a place free, and is never next', () => {
  const { queue, add, order } = aQueue(2);
  const gone = add('gone', '192.0.2.1');
  add('stays', '192.0.2.1');
  queue.remove(gone);
  queue.remove(gone);
  expect(queue.size).toBe(1);
  add('newcomer', '198.51.100.1');
  expect(order()).toEqual(['stays', 'newcomer']);
});

test('texts that are no address have turns of their own, also those that look like a network', () => {
  const { add, order } = aQueue(10);
  for (const address of ['192.0.2.1', '192.0.2.0/24', '', 'unknown']) {
    add(address, address);
    add(`${address} again`, address);
  }
  expect(order(4)).toEqual(['192.0.2.1', '192.0.2.0/24', '', 'unknown']);
});
