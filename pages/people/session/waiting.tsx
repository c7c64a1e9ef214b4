import type { AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { Problem } from '../form/problems.tsx';
import { useTexts } from '../language/language.ts';
import { arriveAgain } from '../navigation/route.ts';
import { BusyButton } from '../ui/busy-button.tsx';

/** Shown until the gateway has said whose token it is. */
export function Waiting({ error }: { error: AuthError | undefined }) {
  const client = useAuth();
  const texts = useTexts();
  const tryAgain = async () => {
    await client.refresh();
    // The button that had the focus is gone.
    arriveAgain();
  };
  return (
    <>
      <Problem error={error} />
      {error ? (
        <BusyButton onClick={tryAgain}>{texts.tryAgain}</BusyButton>
      ) : (
        <p className="loading">{texts.loading}</p>
      )}
    </>
  );
}
