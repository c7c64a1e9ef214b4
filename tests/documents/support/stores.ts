import { createTestApp, type TestApp } from '../../support/test-app.ts';

/** A kind of document store, as an operator sets it up. */
export interface StoreKind {
  name: string;
  /** @returns the settings that choose it */
  start(): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

export const LOCAL: StoreKind = { name: 'the local disk', start: async () => ({}), stop: async () => {} };

/** A test app whose documents are in a store, for all tests of the block that this is called in. */
export function useAppWith(
  store: StoreKind,
  settings: Record<string, string> = {},
): { readonly app: TestApp } {
  let running: TestApp | undefined;
  beforeAll(async () => {
    running = await createTestApp({ ...(await store.start()), ...settings });
  });
  afterAll(async () => {
    await running?.stop();
    await store.stop();
  });
  return {
    get app() {
      if (!running) throw new Error('the app runs only while the tests do');
      return running;
    },
  };
}
