import { useAuth } from '@auth-gateway/client/react';
import { Problem } from '../../form/problems.tsx';
import { useTexts } from '../../language/language.ts';
import { useAnswer } from '../../ui/use-answer.ts';
import { AccountSections } from './account-sections.tsx';

/** The account and all that its owner can do with it. */
export function AccountView() {
  const client = useAuth();
  const texts = useTexts();
  const { data, error, refresh } = useAnswer(client.me);
  return (
    <>
      <Problem error={error} />
      {data && <AccountSections account={data} changed={refresh} />}
      {!data && error && (
        <button type="button" onClick={refresh}>
          {texts.tryAgain}
        </button>
      )}
      {!data && !error && <p>{texts.loading}</p>}
    </>
  );
}
