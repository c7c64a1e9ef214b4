import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';

/** Prevents password hashes from ending. */
export interface HashGate {
  /** Lets so many more hashes run, those that wait first. */
  letThrough(count: number): void;
  /** Lets the hashes run. Calling it again does nothing. */
  open(): void;
}

/** Holds every bcrypt hash before its work. It needs no thread meanwhile, so files and the test database work in the same process. */
export function closeHashGate(): HashGate {
  const waiting: (() => void)[] = [];
  let left = 0;
  const letThrough = (count: number) => {
    left += count;
    for (; left > 0 && waiting.length > 0; left -= 1) {
      waiting.shift()?.();
    }
  };
  const passed = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      letThrough(0);
    });
  const { hash, compare } = bcrypt;
  const gates = [
    jest.spyOn(bcrypt, 'hash').mockImplementation(async (...args: Parameters<typeof hash>) => {
      await passed();
      return hash(...args);
    }),
    jest.spyOn(bcrypt, 'compare').mockImplementation(async (...args: Parameters<typeof compare>) => {
      await passed();
      return compare(...args);
    }),
  ];
  return {
    letThrough,
    open: () => {
      for (const gate of gates) {
        gate.mockRestore();
      }
      letThrough(Number.POSITIVE_INFINITY);
    },
  };
}
