import { jest } from '@jest/globals';
import argon2 from '@node-rs/argon2';
import bcrypt from 'bcrypt';

/** The costs of the hashes of bcrypt in an act, their rounds, and the settings of those of argon2. It measures the work without a clock. */
export async function hashWorkOf(act: () => Promise<unknown>) {
  const spies = [jest.spyOn(bcrypt, 'compare'), jest.spyOn(bcrypt, 'hash')];
  const verify = jest.spyOn(argon2, 'verify');
  try {
    await act();
    const hashes = spies.flatMap(({ mock }) => mock.calls.map(([, hashOrSalt]) => String(hashOrSalt)));
    const costs = hashes.map((hash) => Number(hash.slice(4, 6)));
    const settings = verify.mock.calls.map(([hash]) => String(hash).split('$').slice(1, 4).join('$'));
    return { costs, rounds: costs.reduce((sum, cost) => sum + 2 ** cost, 0), argon2: settings.sort() };
  } finally {
    for (const spy of [...spies, verify]) {
      spy.mockRestore();
    }
  }
}
