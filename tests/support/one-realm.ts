import { types } from 'node:util';

// Jest runs tests and the app in a realm of its own, whose Error is not the one that Node's core throws. What asks
// `error instanceof Error` would take another path here than in production, so an error of either realm is one.
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    // Derived classes inherit this method, but not its answer.
    const isPlain = this === Error && types.isNativeError(value);
    return isPlain || Function.prototype[Symbol.hasInstance].call(this, value);
  },
});
