import type { TokenStorage } from '../../src/index.ts';
import { setGlobals } from './globals.ts';

/** A storage like `sessionStorage`. */
export function syncStorage(entries: Record<string, string> = {}) {
  const items = new Map(Object.entries(entries));
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string): void => {
      items.set(key, value);
    },
    removeItem: (key: string): void => {
      items.delete(key);
    },
  };
}

/** A storage like React Native's AsyncStorage, whose every step waits until `release` lets it go. */
export function slowStorage(entries: Record<string, string> = {}) {
  const { items, ...storage } = syncStorage(entries);
  const waiting: (() => void)[] = [];
  const later = <Value>(act: () => Value) =>
    new Promise<Value>((resolve) => {
      waiting.push(() => resolve(act()));
    });
  const slow: TokenStorage = {
    getItem: (key) => later(() => storage.getItem(key)),
    setItem: (key, value) => later(() => storage.setItem(key, value)),
    removeItem: (key) => later(() => storage.removeItem(key)),
  };
  return { items, waiting, release: () => waiting.shift()?.(), storage: slow };
}

/** The parts of a browser's window that the client uses. `tabs` receives the events of other tabs. */
export function fakeWindow(entries: Record<string, string> = {}) {
  const localStorage = syncStorage(entries);
  const events = new EventTarget();
  const addEventListener = events.addEventListener.bind(events);
  const restore = setGlobals({ document: {}, localStorage, addEventListener });
  return {
    localStorage,
    /** Another tab has changed the storage. */
    dispatch: (type: 'storage' | 'pageshow', properties: object) =>
      events.dispatchEvent(Object.assign(new Event(type), properties)),
    restore,
  };
}
