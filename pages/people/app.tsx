import { useSession } from '@auth-gateway/client/react';
import { useLayoutEffect } from 'react';
import { Footer, Header } from './header.tsx';
import { useTexts } from './language/language.ts';
import { NoticeLine } from './navigation/notice-line.tsx';
import { redirectTo, useRoute } from './navigation/route.ts';
import { useArrival } from './navigation/use-arrival.ts';
import { RecoveryCodes } from './second-factor/recovery-codes.tsx';
import { useEndedSession, useStaffEnd } from './session/use-ended-session.ts';
import { useIdleEnd } from './session/use-idle-end.ts';
import { Waiting } from './session/waiting.tsx';
import { firstPlace, placeAt, VIEWS } from './views.ts';

/** The page: the session and the address decide which view it shows. */
export function App() {
  const session = useSession();
  const route = useRoute();
  const place = placeAt(route.path, session);
  const view = place && VIEWS[place];
  const { titles } = useTexts();
  const title = place && titles[place];
  const heading = useArrival(title, route);
  useEndedSession();
  useStaffEnd();
  useIdleEnd();
  useLayoutEffect(() => {
    if (!place && session.status !== 'loading') {
      redirectTo(firstPlace(session));
    }
  }, [place, session]);

  return (
    <>
      <Header current={place} />
      <NoticeLine />
      <RecoveryCodes />
      <main className={view?.width}>
        {view && (
          <>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <view.Content key={place} route={route} />
          </>
        )}
        {!view && session.status === 'loading' && <Waiting error={session.error} />}
      </main>
      <Footer />
    </>
  );
}
