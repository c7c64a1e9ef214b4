import type { AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { leave } from '../../session/leave.ts';
import { BusyButton } from '../../ui/busy-button.tsx';

/** Ends the session. @param fail is called if it has not ended */
export function LogOutButton({ fail }: { fail(error: AuthError): void }) {
  const client = useAuth();
  const texts = useTexts();
  const logOut = async () => {
    const result = await leave(client.logout);
    if (result.ok) {
      announce(({ session }) => session.loggedOut);
    } else {
      fail(result.error);
    }
  };
  return <BusyButton onClick={logOut}>{texts.session.logOut}</BusyButton>;
}
