import type { AuthError, OwnAccount } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Problem } from '../../form/problems.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { CorrectionSection, ProposalBanner } from './correction-section.tsx';
import { EmailSection, UnconfirmedBanner } from './email-section.tsx';
import { LeavingSection } from './leaving-section.tsx';
import { LogOutButton } from './log-out-button.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { TokensSection } from './tokens-section.tsx';
import { VerificationSection } from './verification-section.tsx';

interface Properties {
  account: OwnAccount;
  /** Called when the account has changed. */
  changed(): void;
}

/** The sections of the account. The error of a button is shown above them. */
export function AccountSections({ account, changed }: Properties) {
  const { name, profile } = account;
  const {
    tokens: { list },
  } = useAuth();
  const tokens = useAnswer(list);
  const [error, setError] = useState<AuthError<string> | null>(null);
  return (
    <>
      <Problem error={error ?? tokens.error} />
      <div className="sections">
        {account.emailVerifiedAt === null && <UnconfirmedBanner fail={setError} />}
        {profile && <VerificationSection verification={profile.verification} changed={changed} />}
        {profile && <ProposalBanner name={name} profile={profile} />}
        <ProfileSection account={account}>
          <LogOutButton fail={setError} />
        </ProfileSection>
        <TokensSection tokens={tokens} fail={setError} />
        <CorrectionSection account={account} changed={changed} />
        <EmailSection account={account} />
        <PasswordSection person={account} changed={tokens.refresh} />
        <LeavingSection fail={setError} />
      </div>
    </>
  );
}
