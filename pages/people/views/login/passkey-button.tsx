import type { AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useEffect, useState } from 'react';
import { Problem } from '../../form/problems.tsx';
import { announce } from '../../navigation/notice.ts';
import { settings } from '../../settings.ts';
import { BusyButton } from '../../ui/busy-button.tsx';

interface Properties {
  text: string;
  /** True to offer passkeys also among the suggestions of the field for the e-mail. */
  hasSuggestions?: boolean;
}

/** Logs in with a passkey, by a dialog of the browser or from the suggestions of a field. */
export function PasskeyButton({ text, hasSuggestions = false }: Properties) {
  const { passkeys } = useAuth();
  const [error, setError] = useState<AuthError<string> | null>(null);
  // Each dialog ends the waiting for a suggestion, which then begins again.
  const [dialogs, setDialogs] = useState(0);

  useEffect(() => {
    const left = new AbortController();
    const wait = async () => {
      if (!(hasSuggestions && settings.passkeys && (await passkeys.canAutofill()))) {
        return;
      }
      const { signal } = left;
      if (!signal.aborted) {
        const result = await passkeys.autofill({ signal });
        if (result.ok) {
          const { name } = result.data.account;
          announce(({ session }) => session.begun(name));
        } else if (result.error.code === 'BAD_USER_INPUT') {
          setError(result.error);
          setDialogs((number) => number + 1);
        }
      }
    };
    void dialogs;
    void wait();
    return () => left.abort();
  }, [passkeys, hasSuggestions, dialogs]);

  if (!(settings.passkeys && passkeys.isSupported())) {
    return null;
  }
  const logIn = async () => {
    setError(null);
    const result = await passkeys.login();
    if (result.ok) {
      const { name } = result.data.account;
      announce(({ session }) => session.begun(name));
      return;
    }
    setDialogs((number) => number + 1);
    // A person who closes the dialog has not failed.
    if (result.error.code !== 'CANCELLED') {
      setError(result.error);
    }
  };
  return (
    <>
      <Problem error={error} />
      <div className="buttons passkey">
        <BusyButton onClick={logIn}>{text}</BusyButton>
      </div>
    </>
  );
}
