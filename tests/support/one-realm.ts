import { types } from 'node:util';

// Jest runs tests and the app in their own realm, and its Error is not the class of the errors that Node's core throws. So
// `error instanceof Error` would have another result than in production. Here, an error of either realm is an Error.
Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    // Derived classes inherit this method, but not its answer.
    const isPlain = this === Error && types.isNativeError(value);
    return isPlain || Function.prototype[Symbol.hasInstance].call(this, value);
  },
});
