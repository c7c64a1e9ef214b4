import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStorage, type Storage } from '../../../src/app/storage.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { configOn } from './aftermath.ts';
import { startS3Server } from './s3-server.ts';

/** A kind of document store, as an operator sets it up. */
export interface StoreKind {
  name: string;
  /** @returns the settings that choose it */
  start(): Promise<Record<string, string>>;
  stop(): Promise<void>;
  /** The folder of the stored documents; undefined for the folder of the app. */
  folder(): string | undefined;
}

export const LOCAL: StoreKind = {
  name: 'the local disk',
  start: async () => ({}),
  stop: async () => {},
  folder: () => undefined,
};

/** An S3 server of its own, started on loopback. */
export function s3Store(name: string, settings: Record<string, string> = {}): StoreKind {
  let server: Awaited<ReturnType<typeof startS3Server>> | undefined;
  return {
    name,
    start: async () => {
      server = await startS3Server();
      return { ...server.settings, ...settings };
    },
    stop: async () => server?.stop(),
    folder: () => server?.directory,
  };
}

/** A test app as {@link useAppWith}, and its storage, opened beside it. */
export function useStorageWith(store: StoreKind, others: Record<string, string> = {}) {
  let settings: Record<string, string>;
  const running = useAppWith({
    ...store,
    start: async () => {
      settings = { ...(await store.start()), ...others };
      return settings;
    },
  });
  let storage: Storage | undefined;
  beforeAll(async () => {
    storage = await openStorage(configOn(running.app, settings), systemClock);
  });
  // Registered after the app's, and so run before it.
  afterAll(() => storage?.close());
  return {
    get app() {
      return running.app;
    },
    get storage() {
      return storage as Storage;
    },
    /** Places a document as an import does. */
    async place(storedPath: string, content: Buffer | string) {
      const source = path.join(tmpdir(), randomUUID());
      await writeFile(source, content);
      return (storage as Storage).documents.place(storedPath, source).finally(() => rm(source));
    },
  };
}

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
      if (!running) {
        throw new Error('the app runs only while the tests do');
      }
      return running;
    },
  };
}
