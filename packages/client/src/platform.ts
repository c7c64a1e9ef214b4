/** React Native has no other sign that is always there. */
export const isReactNative = (): boolean =>
  (globalThis as { navigator?: { product?: string } }).navigator?.product === 'ReactNative';
