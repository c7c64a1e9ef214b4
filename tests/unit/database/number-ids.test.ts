import mongoose from 'mongoose';
import { NumberIds } from '../../../src/stores/ids.ts';

const BLOCK = 100;

/** A counter in memory, and how often it was asked. */
function aCounter(start = 0) {
  const counter = {
    value: start,
    asked: 0,
    reserve: async (count: number) => {
      counter.asked += 1;
      counter.value += count;
      return counter.value;
    },
  };
  return counter;
}

const keep = async (id: string) => id;

const takenId = () => new mongoose.mongo.MongoServerError({ code: 11_000, keyPattern: { _id: 1 } });

test('simultaneous records have different numbers, from as few blocks as possible', async () => {
  const counter = aCounter(500);
  const ids = new NumberIds(counter.reserve);
  const numbers = await Promise.all(Array.from({ length: 250 }, () => ids.withNew(keep)));
  expect(numbers.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 250 }, (_, at) => 501 + at));
  expect(counter.asked).toBe(3);
});

test('a failed reservation fails those who wait for it, and the next record reserves again', async () => {
  const counter = aCounter();
  const reserve = failingOnce(counter.reserve);
  const ids = new NumberIds(reserve);
  const outcomes = await Promise.allSettled([ids.withNew(keep), ids.withNew(keep)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ids.withNew(keep)).toBe('1');
});

function failingOnce(reserve: (count: number) => Promise<number>) {
  let calls = 0;
  return async (count: number) => {
    calls += 1;
    if (calls === 1) {
      throw new Error('away');
    }
    return reserve(count);
  };
}

test('after an import the next number is above its numbers, and the rest of the old block is not tried', async () => {
  const counter = aCounter();
  const ids = new NumberIds(counter.reserve);
  expect(await ids.withNew(keep)).toBe('1');
  counter.value = 1_000_000;
  const tried: string[] = [];
  const id = await ids.withNew(async (number) => {
    tried.push(number);
    if (Number(number) <= 1_000_000) {
      throw takenId();
    }
    return number;
  });
  expect(tried).toEqual(['2', '1000001']);
  expect([id, await ids.withNew(keep)]).toEqual(['1000001', '1000002']);
});

test('simultaneous records whose numbers are taken drop the old block, not the new one', async () => {
  const counter = aCounter();
  const ids = new NumberIds(counter.reserve);
  const store = async (number: string) => {
    if (Number(number) <= BLOCK) {
      throw takenId();
    }
    return number;
  };
  const numbers = await Promise.all(Array.from({ length: 30 }, () => ids.withNew(store)));
  expect(new Set(numbers).size).toBe(30);
  expect(counter.asked).toBe(2);
});

test('another error of the database is not repeated', async () => {
  const ids = new NumberIds(aCounter().reserve);
  let tries = 0;
  const refusal = new mongoose.mongo.MongoServerError({ code: 11_000, keyPattern: { emailKey: 1 } });
  const failing = ids.withNew(async () => {
    tries += 1;
    throw refusal;
  });
  await expect(failing).rejects.toBe(refusal);
  expect(tries).toBe(1);
});
