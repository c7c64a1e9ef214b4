import { type FormEvent, type ReactNode, useState } from 'react';
import { asApiError } from './loading.tsx';

/** A part of a list, as the API has it. */
interface Page<T> {
  nodes: T[];
  pageInfo: { endCursor?: string | null };
}

/** A list as far as it is read. */
export interface Found<T, V> {
  items: T[];
  /** null at the end. */
  next: string | null;
  variables: V;
}

/** A list that a form asks for, and that is read further by a button. */
export interface PagedList<T, V> {
  found: Found<T, V> | undefined;
  problem: string;
  isLoading: boolean;
  read(variables: V): Promise<void>;
  readMore(): Promise<void>;
}

/** @param readPage reads one page */
export function usePagedList<T, V extends object>(
  readPage: (variables: V) => Promise<Page<T>>,
): PagedList<T, V> {
  const [found, setFound] = useState<Found<T, V>>();
  const [problem, setProblem] = useState('');
  const [isLoading, setIsLoading] = useState(false);
  const add = async (variables: V, page: object, before: T[]) => {
    setIsLoading(true);
    setProblem('');
    try {
      const { nodes, pageInfo } = await readPage({ ...variables, ...page });
      setFound({ items: [...before, ...nodes], next: pageInfo.endCursor ?? null, variables });
    } catch (error) {
      setProblem(asApiError(error).message);
    }
    setIsLoading(false);
  };
  return {
    found,
    problem,
    isLoading,
    read: (variables) => add(variables, {}, []),
    readMore: async () => found && add(found.variables, { after: found.next }, found.items),
  };
}

interface FiltersProperties {
  list: Pick<PagedList<unknown, object>, 'isLoading' | 'problem'>;
  children: ReactNode;
  /** Reads the list. `text` has what a field says, if it says anything. */
  find(text: (name: string) => string | null): unknown;
}

/** The form that asks for a list, and why it could not be read. */
export function Filters({ list: { isLoading, problem }, children, find }: FiltersProperties) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    find((name) => String(values.get(name) ?? '').trim() || null);
  };
  return (
    <>
      <form onSubmit={submit} className="filters">
        {children}
        <button type="submit" className="primary" disabled={isLoading}>
          Find
        </button>
      </form>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** A filter that has one of the values of an enum, or none. */
export const Choice = ({ label, name, of }: { label: string; name: string; of: readonly string[] }) => (
  <label>
    {label}
    <select name={name}>
      <option value="">any</option>
      {of.map((value) => (
        <option key={value} value={value}>
          {value.toLowerCase().replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  </label>
);

/** Reads a list further, unless that was the end. */
export const ShowMore = <T, V>({ list }: { list: PagedList<T, V> }) =>
  list.found?.next && (
    <button type="button" disabled={list.isLoading} onClick={() => list.readMore()}>
      Show more
    </button>
  );
