import { element } from './element.ts';
import { announceArrival, type Place } from './navigation.ts';
import { takeResetToken } from './reset-token.ts';
import { firstPlace } from './session.ts';
import { isOffered, VIEWS } from './views.ts';

const isPlace = (path: string): path is Place => path in VIEWS;

/** Shows the view of the address. If there is none, or it does not fit the login state, it goes to the default view. */
function show(isArrival: boolean): void {
  takeResetToken();
  const path = location.hash.slice(1);
  if (!isPlace(path) || !isOffered(VIEWS[path])) {
    location.replace(`#${firstPlace()}`);
    return;
  }
  const view = VIEWS[path];

  const heading = element('h1', { tabindex: '-1' }, view.title);
  document.title = `${view.title} – Example practice`;
  document.querySelector('nav')?.replaceChildren(...links(path));
  document.querySelector('main')?.replaceChildren(heading, ...view.content());
  announceArrival();
  // As after the load of a page, start at the top. After a real load, the browser does that.
  if (isArrival) {
    scrollTo(0, 0);
    heading.focus();
  }
}

function links(current: Place): HTMLElement[] {
  return Object.entries(VIEWS).flatMap(([place, view]) =>
    view.name !== undefined && isOffered(view)
      ? [element('a', { href: `#${place}`, ...(place === current && { 'aria-current': 'page' }) }, view.name)]
      : [],
  );
}

// Otherwise a document that is dropped beside its field would replace the page, and all input would be lost.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, (event) => event.preventDefault());
}
addEventListener('hashchange', () => show(true));
show(false);
