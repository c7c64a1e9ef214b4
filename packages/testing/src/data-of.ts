import type { Result } from '@auth-gateway/client';

/**
 * The data of a result.
 * @param caller the function of this package, for the message
 * @throws an Error with the gateway's own message if it has refused, which ends a test
 */
export function dataOf<Data>(caller: string, result: Result<Data, string>): Data {
  if (result.ok) {
    return result.data;
  }
  const { code, message } = result.error;
  throw new Error(`${caller}: ${message} (${code})`, { cause: result.error });
}
