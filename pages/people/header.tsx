import { useSession } from '@auth-gateway/client/react';
import { chooseLanguage, LANGUAGE_NAMES, type Language, useLanguage, useTexts } from './language/language.ts';
import type { Place } from './navigation/route.ts';
import { settings } from './settings.ts';
import { isOpen } from './views/register/invited.tsx';
import { isOffered, VIEWS } from './views.ts';

/**
 * The name of the service, links to the views that fit the session, the way back to the application, and the languages. Where the way
 * leads is a setting alone, never a part of this address, and it takes nothing along.
 */
export function Header({ current }: { current: Place | undefined }) {
  const session = useSession();
  const language = useLanguage();
  const { backTo, mainNavigation, navigation } = useTexts();
  const links = (Object.entries(navigation) as [Place, string][]).filter(
    ([place]) => isOffered(VIEWS[place], session) && isOpen(place),
  );
  const others = (Object.keys(LANGUAGE_NAMES) as Language[]).filter((other) => other !== language);
  return (
    <header>
      <p className="brand">{settings.name}</p>
      <nav aria-label={mainNavigation}>
        {links.map(([place, name]) => (
          <a key={place} href={`#${place}`} aria-current={place === current ? 'page' : undefined}>
            {name}
          </a>
        ))}
        {settings.returnUrl && <a href={settings.returnUrl}>{backTo(new URL(settings.returnUrl).host)}</a>}
        {others.map((other) => (
          <button
            key={other}
            type="button"
            className="quiet"
            lang={other}
            onClick={() => chooseLanguage(other)}
          >
            {LANGUAGE_NAMES[other]}
          </button>
        ))}
      </nav>
    </header>
  );
}
