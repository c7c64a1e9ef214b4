import { type RefObject, useEffect, useRef } from 'react';
import { settings } from '../settings.ts';
import type { Route } from './route.ts';

/**
 * Sets the title of the page, and after a change of the view goes to its heading, as a browser does after the load of a page.
 * @param title undefined while no view is shown
 * @returns the ref of the heading
 */
export function useArrival(title: string | undefined, route: Route): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  // The browser itself goes to the top of the first view.
  const shown = useRef(route);
  useEffect(() => {
    if (title === undefined) {
      return;
    }
    document.title = `${title} – ${settings.name}`;
    if (shown.current !== route) {
      scrollTo(0, 0);
      heading.current?.focus();
    }
    shown.current = route;
  }, [title, route]);
  return heading;
}
