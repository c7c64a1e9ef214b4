import type { AccessToken, AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useRef } from 'react';
import { useTexts } from '../../language/language.ts';
import { announce, type Say } from '../../navigation/notice.ts';
import { leave } from '../../session/leave.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { SectionHead } from '../../ui/section-head.tsx';
import type { Answer } from '../../ui/use-answer.ts';
import { TokenItem } from './token-item.tsx';

interface Properties {
  tokens: Answer<AccessToken[]>;
  /** Called with the error of a button. */
  fail(error: AuthError<string>): void;
}

/** The access tokens of the account, each with a button that revokes it. */
export function TokensSection({ tokens: { data = [], refresh }, fail }: Properties) {
  const { tokens, logout } = useAuth();
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const showRest = async (notice: Say) => {
    await refresh();
    // The button that had the focus is gone.
    heading.current?.focus();
    announce(notice);
  };

  const revokeOthers = async () => {
    const result = await tokens.revokeOthers();
    if (!result.ok) {
      return fail(result.error);
    }
    const { data: number } = result;
    await showRest((present) => present.tokens.revokedOthers(number));
  };

  const revoke = async ({ id, current }: AccessToken) => {
    const result = await (current ? leave(logout) : tokens.revoke(id));
    if (!result.ok) {
      return fail(result.error);
    }
    if (current) {
      return announce(({ session }) => session.loggedOut);
    }
    await showRest((present) => present.tokens.revoked);
  };

  return (
    <section>
      <SectionHead title={texts.tokens.title} headingRef={heading}>
        {data.some(({ current }) => !current) && (
          <BusyButton onClick={revokeOthers}>{texts.session.logOutElsewhere}</BusyButton>
        )}
      </SectionHead>
      <ul className="tokens">
        {data.map((token) => (
          <TokenItem key={token.id} token={token} revoke={revoke} />
        ))}
      </ul>
    </section>
  );
}
