/** React Native has no other sign that is always there. */
export const isReactNative = (): boolean =>
  (globalThis as { navigator?: { product?: string } }).navigator?.product === 'ReactNative';

/** True where `fetch` is that of Node.js, which is undici. */
export const hasUndici = (): boolean =>
  !isReactNative() &&
  (globalThis as { process?: { versions?: { undici?: string } } }).process?.versions?.undici !== undefined;
