import { useSyncExternalStore } from 'react';
import type { Choices } from './files.ts';
import { newSession, type Session } from './session.ts';

/** The tab of GraphiQL that is open. */
export interface OpenTab {
  id: string;
  /** Empty if the operation has none. */
  operationName: string;
  /** The text of the variables editor. */
  variables: string;
}

/** What the page knows beside GraphiQL. */
export interface PageState {
  session: Session;
  tab: OpenTab;
  /** The files that the user has chosen or removed, by {@link choicesKey}: none is sent for another operation. */
  choices: ReadonlyMap<string, Choices>;
}

let state: PageState = {
  session: newSession(),
  tab: { id: '', operationName: '', variables: '' },
  choices: new Map(),
};
const listeners = new Set<() => void>();

/** Outside React, because the fetcher of GraphiQL needs it, and GraphiQL reads the schema again for every new fetcher. */
export const pageState = {
  get: (): PageState => state,
  update(changes: Partial<PageState>): void {
    state = { ...state, ...changes };
    for (const listener of listeners) {
      listener();
    }
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const choicesKey = (tabId: string, operationName: string): string => `${tabId} ${operationName}`;

/** The user's files for an operation of the open tab. */
export const choicesFor = ({ choices, tab }: PageState, operationName: string): Choices =>
  choices.get(choicesKey(tab.id, operationName)) ?? NO_CHOICES;

const NO_CHOICES: Choices = new Map();

export const usePageState = (): PageState => useSyncExternalStore(pageState.subscribe, pageState.get);
