import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { ApiError } from './api.ts';
import { say } from './language.tsx';

/** What a page reads. */
export interface Loaded<T> {
  data: T | undefined;
  error: ApiError | undefined;
  /** Reads again. */
  reload(): void;
  /** Replaces what was read. */
  replace(data: T): void;
}

/**
 * Reads something for a page.
 * @param key another one reads again
 */
export function useLoaded<T>(key: string, read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError }>({ key });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const finish = (result: { data?: T; error?: ApiError }) => isCurrent && setState({ key, ...result });
    read().then(
      (data) => finish({ data }),
      (error: unknown) => finish({ error: asApiError(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, round]);
  const reload = useCallback(() => {
    setState({ key });
    setRound((count) => count + 1);
  }, [key]);
  const replace = useCallback((data: T) => setState({ key, data }), [key]);
  const { data, error } = state.key === key ? state : { data: undefined, error: undefined };
  return { data, error, reload, replace };
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(
        ['This page has failed. Load it again.', 'Diese Seite ist fehlgeschlagen. Laden Sie sie neu.'],
        'PAGE_ERROR',
      );

/** Says that something is being read. */
export const Loading = () => <p role="status">{say('Loading…', 'Wird geladen …')}</p>;

/** Why something could not be read. */
export const ReadProblem = ({ error, again }: { error: ApiError; again(): void }) => (
  <div className="problem" role="alert">
    <p>{say(...error.text)}</p>
    <button type="button" onClick={again}>
      {say('Try again', 'Noch einmal versuchen')}
    </button>
  </div>
);

interface Properties<T> {
  loaded: Loaded<T>;
  children(data: T): ReactNode;
}

/** Shows what was read; until then that it is being read, or why it cannot be. */
export function Shown<T>({ loaded: { data, error, reload }, children }: Properties<T>) {
  if (error) {
    return <ReadProblem error={error} again={reload} />;
  }
  return data === undefined ? <Loading /> : children(data);
}
