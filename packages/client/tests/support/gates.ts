import { watchedFetch } from './results.ts';

/** A `fetch` whose answers can be held back, to let calls overtake each other. */
export function gatedFetch() {
  const held: (() => void)[] = [];
  let isHolding = false;
  let onArrival: () => void = () => {};
  const arrival = () =>
    new Promise<void>((resolve) => {
      onArrival = resolve;
    });
  const gated: typeof fetch = async (...request) => {
    const response = await watchedFetch(...request);
    if (isHolding) {
      await new Promise<void>((resolve) => {
        held.push(resolve);
        onArrival();
      });
    }
    return response;
  };
  return {
    fetch: gated,
    /** Holds the answer of the call that `act` makes. @returns a function that lets it go and awaits the call */
    async hold<Answer>(act: () => Promise<Answer>): Promise<() => Promise<Answer>> {
      isHolding = true;
      const arrived = arrival();
      const answer = act();
      await arrived;
      isHolding = false;
      return () => {
        held.shift()?.();
        return answer;
      };
    },
  };
}
