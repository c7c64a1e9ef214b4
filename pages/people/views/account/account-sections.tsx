import type { AuthError, OwnAccount } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState, useSyncExternalStore } from 'react';
import { Problem } from '../../form/problems.tsx';
import { recoveryCodeUse } from '../../second-factor/proof-fields.tsx';
import { settings } from '../../settings.ts';
import { useAnswer } from '../../ui/use-answer.ts';
import { CorrectionSection, ProposalBanner } from './correction-section.tsx';
import { EmailSection, UnconfirmedBanner } from './email-section.tsx';
import { LeavingSection } from './leaving-section.tsx';
import { LogOutButton } from './log-out-button.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
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
    passkeys: { list: listPasskeys },
    myTwoFactor,
  } = useAuth();
  const tokens = useAnswer(list);
  // A gateway without TWO_FACTOR_SECRET has none: then the page shows nothing about it.
  const secondFactor = useAnswer(myTwoFactor);
  const hasFactor = secondFactor.data?.enabled ?? false;
  // The same without PASSKEY_RP_ID.
  const passkeys = useAnswer(listPasskeys);
  const factorChanged = () => {
    void secondFactor.refresh();
    void passkeys.refresh();
    void tokens.refresh();
  };
  // Somebody who has lost the app should not have to look for it.
  const hasLostApp = useSyncExternalStore(recoveryCodeUse.subscribe, recoveryCodeUse.get);
  const factorSection = secondFactor.data && (
    <SecondFactorSection state={secondFactor.data} hasLostApp={hasLostApp} changed={factorChanged} />
  );
  const [error, setError] = useState<AuthError<string> | null>(null);
  return (
    <>
      <Problem error={error ?? tokens.error} />
      <div className="sections">
        {hasLostApp && factorSection}
        {settings.mails && account.emailVerifiedAt === null && <UnconfirmedBanner fail={setError} />}
        {profile && <VerificationSection verification={profile.verification} changed={changed} />}
        {profile && <ProposalBanner name={name} profile={profile} />}
        <ProfileSection account={account}>
          <LogOutButton fail={setError} />
        </ProfileSection>
        <TokensSection tokens={tokens} fail={setError} />
        <CorrectionSection account={account} changed={changed} />
        {settings.mails && <EmailSection account={account} hasFactor={hasFactor} />}
        <PasswordSection person={account} hasFactor={hasFactor} changed={tokens.refresh} />
        {!hasLostApp && factorSection}
        {passkeys.data && (
          <PasskeysSection passkeys={passkeys.data.passkeys} hasFactor={hasFactor} changed={factorChanged} />
        )}
        <LeavingSection fail={setError} hasFactor={hasFactor} />
      </div>
    </>
  );
}
