/**
 * Replaces the storage of the browser: nothing that somebody types here outlasts the page. Scalar stores colours and languages
 * today, and a later version may store more, such as tokens.
 */
export function forgetAll(): void {
  const memory = new Map<string, string>();
  const storage = {
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => void memory.set(key, value),
    removeItem: (key: string) => void memory.delete(key),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: storage });
}
