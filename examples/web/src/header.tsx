import { useSession } from '@auth-gateway/client/react';
import type { Place } from './navigation/route.ts';
import { isOffered, VIEWS } from './views.ts';

/** The name of the practice, and links to the views that fit the session. */
export function Header({ current }: { current: Place | undefined }) {
  const session = useSession();
  const links = Object.entries(VIEWS).filter(([, view]) => view.name && isOffered(view, session));
  return (
    <header>
      <p className="brand">Example practice</p>
      <nav aria-label="Main">
        {links.map(([place, { name }]) => (
          <a key={place} href={`#${place}`} aria-current={place === current ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}
