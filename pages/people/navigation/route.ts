import { useSyncExternalStore } from 'react';
import { Store } from '../ui/store.ts';
import { announce, type Say } from './notice.ts';

/** The address of a view, after the `#`. */
export type Place =
  | '/login'
  | '/forgotten'
  | '/reset'
  | '/confirm'
  | '/register/doctor'
  | '/register/patient'
  | '/help'
  | '/account';

/** Where the user is. Every arrival makes a new object, also at the same path. */
export interface Route {
  /** What the address has after the `#`. It need not be a place. */
  readonly path: string;
  /** The token of the link of a mail; empty if another address was opened. */
  readonly linkToken: string;
}

/** The addresses in the mails (`src/config/people-settings.ts`). */
const LINK = /^#(\/reset|\/confirm|\/register\/doctor|\/register\/patient)\?token=([^&]+)$/;

const route = new Store<Route>(readAddress());
addEventListener('hashchange', () => arrive(readAddress()));

/** The route that is shown. */
export const useRoute = (): Route => useSyncExternalStore(route.subscribe, route.get);

/** Shows another view with a notice, such as the reason for the change. */
export function goTo(place: Place, notice?: Say): void {
  if (route.get().path !== place) {
    history.pushState(null, '', `#${place}`);
    arrive({ path: place, linkToken: '' });
  }
  announce(notice);
}

/** Shows another view instead of one that is not for this user. The address of that one leaves the history. */
export function redirectTo(place: Place): void {
  history.replaceState(null, '', `#${place}`);
  route.set({ path: place, linkToken: '' });
}

/** Counts as an arrival without a change of the address: the view goes to its heading. */
export const arriveAgain = (): void => route.set({ ...route.get() });

/** A notice belongs to the view that it was made for. */
function arrive(next: Route): void {
  announce();
  route.set(next);
}

/**
 * Reads the address. The token of a link leaves it at once, so that neither the address bar nor the history has it. The
 * part after the `#` is never sent to a server, and in no `Referer`.
 */
function readAddress(): Route {
  const [, path, encoded] = LINK.exec(location.hash) ?? [];
  if (path === undefined || encoded === undefined) {
    return { path: location.hash.slice(1), linkToken: '' };
  }
  history.replaceState(null, '', `#${path}`);
  return { path, linkToken: decoded(encoded) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
