/** Runs `act` with other globals, such as those of a browser. */
export async function withGlobals<Result>(
  globals: Record<string, unknown>,
  act: () => Result | Promise<Result>,
): Promise<Result> {
  const restore = setGlobals(globals);
  try {
    return await act();
  } finally {
    restore();
  }
}

/** Replaces globals. @returns a function that brings the old ones back */
export function setGlobals(globals: Record<string, unknown>): () => void {
  const before = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, descriptor] of before) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor) {
        Object.defineProperty(globalThis, name, descriptor);
      }
    }
  };
}
