import { element } from './element.ts';
import { announceArrival, type Place } from './navigation.ts';
import { client } from './session.ts';
import { accountView } from './views/account.ts';
import { loginView } from './views/login.ts';
import { registerDoctorView } from './views/register-doctor.ts';
import { registerPatientView } from './views/register-patient.ts';

interface View {
  title: string;
  /** The name in the navigation. */
  name: string;
  needsLogin: boolean;
  content(): HTMLElement[];
}

const VIEWS: Record<Place, View> = {
  '/login': { title: 'Log in', name: 'Log in', needsLogin: false, content: loginView },
  '/register/doctor': {
    title: 'Register as a doctor',
    name: 'For doctors',
    needsLogin: false,
    content: registerDoctorView,
  },
  '/register/patient': {
    title: 'Register as a patient',
    name: 'For patients',
    needsLogin: false,
    content: registerPatientView,
  },
  '/account': { title: 'Your account', name: 'Your account', needsLogin: true, content: accountView },
};

const isPlace = (path: string): path is Place => path in VIEWS;

/** Shows the view of the address. If there is none, or it does not fit the login state, it goes to the default view. */
function show(isArrival: boolean): void {
  const path = location.hash.slice(1);
  const isLoggedIn = client.token !== null;
  if (!isPlace(path) || VIEWS[path].needsLogin !== isLoggedIn) {
    location.replace(isLoggedIn ? '#/account' : '#/login');
    return;
  }
  const view = VIEWS[path];

  const heading = element('h1', { tabindex: '-1' }, view.title);
  document.title = `${view.title} – Example practice`;
  document.querySelector('nav')?.replaceChildren(...links(path, isLoggedIn));
  document.querySelector('main')?.replaceChildren(heading, ...view.content());
  announceArrival();
  // As after the load of a page, start at the top. After a real load, the browser does that.
  if (isArrival) {
    scrollTo(0, 0);
    heading.focus();
  }
}

function links(current: Place, isLoggedIn: boolean): HTMLElement[] {
  const fitting = Object.entries(VIEWS).filter(([, { needsLogin }]) => needsLogin === isLoggedIn);
  return fitting.map(([place, { name }]) =>
    element('a', { href: `#${place}`, ...(place === current && { 'aria-current': 'page' }) }, name),
  );
}

// Otherwise a document that is dropped beside its field would replace the page, and all input would be lost.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, (event) => event.preventDefault());
}
addEventListener('hashchange', () => show(true));
show(false);
