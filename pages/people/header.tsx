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
      <p className="brand">
        {settings.picture && <img src={settings.picture} alt="" />}
        {settings.name}
      </p>
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

/** How people reach the clinic. */
export function Footer() {
  const { imprint, privacy } = useTexts().brand;
  const links = [
    [settings.contactUrl, settings.contact],
    [settings.imprint, imprint],
    [settings.privacy, privacy],
  ].filter(([url]) => url);
  return (
    links.length > 0 && (
      <footer>
        {links.map(([url, text]) => (
          <a key={text} href={url}>
            {text}
          </a>
        ))}
      </footer>
    )
  );
}
