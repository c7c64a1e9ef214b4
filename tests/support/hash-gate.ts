import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';

/** Prevents password hashes from ending. */
export interface HashGate {
  /** Lets the hashes run. Calling it again does nothing. */
  open(): void;
}

/** Holds every bcrypt hash before its work. It needs no thread meanwhile, so files and the test database work in the same process. */
export function closeHashGate(): HashGate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { hash, compare } = bcrypt;
  const gates = [
    jest.spyOn(bcrypt, 'hash').mockImplementation(async (...args: Parameters<typeof hash>) => {
      await opened;
      return hash(...args);
    }),
    jest.spyOn(bcrypt, 'compare').mockImplementation(async (...args: Parameters<typeof compare>) => {
      await opened;
      return compare(...args);
    }),
  ];
  return {
    open: () => {
      for (const gate of gates) {
        gate.mockRestore();
      }
      open();
    },
  };
}
