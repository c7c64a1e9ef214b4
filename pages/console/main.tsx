import '../shared/theme.css';
import './console.css';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { readSettings } from '../shared/settings.ts';
import { accountIn } from './account-link.tsx';
import { AccountsPage } from './accounts.tsx';
import { send } from './api.ts';
import { AuditPage } from './audit.tsx';
import { LogoutDocument } from './generated/graphql.ts';
import { HelpPage } from './help.tsx';
import { InvitationsPage } from './invitations.tsx';
import { LanguageButton, language, say } from './language.tsx';
import { LoginPage, SetUpPage } from './login.tsx';
import { OverviewPage } from './overview.tsx';
import { PersonPage } from './person.tsx';
import { ReviewsPage } from './reviews.tsx';
import { currentSession, end, type Session, watchSession } from './session.ts';
import { Text } from './text.tsx';
import { WaitingPage } from './waiting.tsx';

/** The pages of an operator, by the fragment of the address. */
const PAGES: readonly { path: string; name: () => string; page: () => ReactNode }[] = [
  { path: '#/', name: () => 'Overview', page: () => <OverviewPage /> },
  { path: '#/accounts', name: () => 'Accounts', page: () => <AccountsPage /> },
  { path: '#/invitations', name: () => 'Invitations', page: () => <InvitationsPage /> },
  { path: '#/waiting', name: () => 'Waiting', page: () => <WaitingPage /> },
  { path: '#/audit', name: () => 'Audit trail', page: () => <AuditPage /> },
];

/** The pages of a reviewer. */
const OF_REVIEWERS: typeof PAGES = [
  { path: '#/', name: () => say('Reviews', 'Prüfungen'), page: () => <ReviewsPage /> },
  { path: '#/help', name: () => say('Help', 'Hilfe'), page: () => <HelpPage /> },
];

const SET_UP = '#set-up=';

/** The name of the service. */
const { name: service } = readSettings<{ name: string }>();

/** For `useSyncExternalStore`: calls a function at each event of the window. */
const watch = (event: string) => (listener: () => void) => {
  addEventListener(event, listener);
  return () => removeEventListener(event, listener);
};
const watchFragment = watch('hashchange');
const watchLanguage = watch('languagechange');

function Console() {
  const session = useSyncExternalStore(watchSession, currentSession);
  const fragment = useSyncExternalStore(watchFragment, () => location.hash);
  const lang = useSyncExternalStore(watchLanguage, language);
  useEffect(() => {
    Object.assign(document.documentElement, { lang });
    document.title = `${say('Console', 'Konsole')} · ${service}`;
  }, [lang]);
  if (fragment.startsWith(SET_UP)) {
    const leave = () => {
      location.hash = '#/';
    };
    return <SetUpPage token={fragment.slice(SET_UP.length)} onDone={leave} />;
  }
  if (!session) {
    return <LoginPage />;
  }
  return (
    <>
      <Head session={session} fragment={fragment} />
      <main>{pageAt(fragment, session.role)}</main>
    </>
  );
}

const pagesOf = (role: Session['role']) => (role === 'OPERATOR' ? PAGES : OF_REVIEWERS);

function pageAt(fragment: string, role: Session['role']): ReactNode {
  const account = accountIn(fragment);
  if (account !== undefined && role === 'OPERATOR') {
    return <PersonPage id={account} />;
  }
  const pages = pagesOf(role);
  const { page } = pages.find(({ path }) => path === fragment) ?? pages[0] ?? {};
  return page?.();
}

function Head({ session: { name, role }, fragment }: { session: Session; fragment: string }) {
  const logOut = async () => {
    await send(LogoutDocument, {}).catch(() => {});
    end('LOGGED_OUT');
  };
  return (
    <header>
      <span className="brand">{service}</span>
      <nav aria-label={say('Console', 'Konsole')}>
        {pagesOf(role).map(({ path, name: title }) => (
          <a key={path} href={path} aria-current={(fragment || '#/') === path ? 'page' : undefined}>
            {title()}
          </a>
        ))}
      </nav>
      <span className="who">
        <Text>{name}</Text>
        {role === 'REVIEWER' && <LanguageButton />}
        <button type="button" onClick={logOut}>
          {say('Log out', 'Abmelden')}
        </button>
      </span>
    </header>
  );
}

const root = document.getElementById('console');
if (root) {
  createRoot(root).render(<Console />);
}
