import type { AuthError, Result } from '@auth-gateway/client';
import { useCallback, useEffect, useRef, useState } from 'react';

/** The answer to a question that is asked when a component appears. */
export interface Answer<Data> {
  /** Undefined until the first answer. A later error leaves it. */
  data: Data | undefined;
  error: AuthError<string> | null;
  /** Asks again. */
  refresh(): Promise<void>;
}

/**
 * Asks the gateway. When answers overtake each other, the one to the last question counts.
 * @param ask must stay the same function, for example one of the client
 */
export function useAnswer<Data, Field extends string>(ask: () => Promise<Result<Data, Field>>): Answer<Data> {
  const [data, setData] = useState<Data>();
  const [error, setError] = useState<AuthError<string> | null>(null);
  const asked = useRef(0);
  const refresh = useCallback(async () => {
    asked.current += 1;
    const question = asked.current;
    const answer = await ask();
    if (question !== asked.current) {
      return;
    }
    if (answer.ok) {
      setData(answer.data);
      setError(null);
    } else {
      setError(answer.error);
    }
  }, [ask]);
  useEffect(() => {
    void refresh();
  }, [refresh]);
  return { data, error, refresh };
}
