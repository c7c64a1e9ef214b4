import { randomInt } from 'node:crypto';

/** Different random numbers below a total. */
export function randomPlaces(total: number, count: number): number[] {
  const places = new Set<number>();
  while (places.size < Math.min(count, total)) {
    places.add(randomInt(total));
  }
  return [...places].sort((one, other) => one - other);
}
