import type { AuthError } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useEffect, useState } from 'react';
import { Form } from '../../form/form.tsx';
import { problemText } from '../../form/problem-text.ts';
import { Problem } from '../../form/problems.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { AppSetUp, type NewApp } from '../../second-factor/app-set-up.tsx';
import { PROOF, ProofFields, proofLabels, recoveryCodeUse } from '../../second-factor/proof-fields.tsx';
import { settings } from '../../settings.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { type Answer, useAnswer } from '../../ui/use-answer.ts';
import { PasskeyButton } from './passkey-button.tsx';

/** A login whose password was right, and that needs more. */
export interface Waiting {
  kind: 'code' | 'set up';
  challenge: string;
  /** What finishes it. */
  methods: readonly string[];
  password: string;
}

interface Properties {
  waiting: Waiting;
  /** Back to the password: the challenge is no more. */
  giveUp(): void;
}

/** Asks for the code of an account with a second factor. */
export function CodeStep({ waiting: { challenge, methods }, giveUp }: Properties) {
  const client = useAuth();
  const texts = useTexts();
  const form = useForm({
    labels: proofLabels(texts),
    initial: PROOF,
    send: (proof, { signal }) => client.completeLogin({ challenge, ...proof }, { signal }),
    done({ account }) {
      recoveryCodeUse.set(form.values.recoveryCode !== '');
      announce(({ session }) => session.begun(account.name));
    },
    handles(error) {
      const hasEnded = isOfChallenge(error);
      if (hasEnded) {
        announce((present) => problemText(error, present));
        giveUp();
      }
      return hasEnded;
    },
  });
  const { id } = form.field('code');
  // The field of the password, which had the focus, is gone.
  useEffect(() => document.getElementById(id)?.focus(), [id]);
  return (
    <>
      {methods.includes('passkey') && <PasskeyButton text={texts.login.usePasskey} />}
      {methods.includes('recovery_code') ? (
        <Form form={form} submitText={texts.login.logIn} otherButtons={<BackButton giveUp={giveUp} />}>
          <ProofFields form={form} />
        </Form>
      ) : (
        <p className="aside">
          <BackButton giveUp={giveUp} />
        </p>
      )}
    </>
  );
}

/** Sets up the second factor that the operators ask for. Until then there is no session. */
export function SetUpStep({ waiting, giveUp }: Properties) {
  const { challenge, password } = waiting;
  const { email, login } = useTexts();
  const client = useAuth();
  const [begin] = useState(() => () => client.enableTwoFactor({ password, challenge }));
  const app: Answer<NewApp> = useAnswer(begin);
  const ended = app.error && isOfChallenge(app.error) ? app.error : null;
  useEffect(() => {
    if (ended) {
      announce((present) => problemText(ended, present));
      giveUp();
    }
  }, [ended, giveUp]);
  const isUnproven = app.error?.code === 'BAD_USER_INPUT' && 'email' in app.error.fields;
  const sendLink = async () => {
    const sent = await client.requestEmailVerification({ challenge });
    announce((present) => (sent.ok ? present.email.sentAgain : problemText(sent.error, present)));
  };
  return (
    <>
      <p>{login.needsFactor}</p>
      <PasskeySetUp waiting={waiting} />
      <Problem error={isUnproven || app.error?.code === 'NOT_FOUND' ? null : app.error} />
      {app.data && (
        <AppSetUp
          app={app.data}
          confirm={(code, signal) => client.confirmTwoFactor({ code, challenge }, { signal })}
          done={() => {}}
        />
      )}
      {isUnproven && (
        <>
          <p>{login.confirmFirst}</p>
          <div className="buttons">
            <BusyButton onClick={sendLink}>{email.sendAgain}</BusyButton>
            <button type="button" className="primary" onClick={app.refresh}>
              {login.haveConfirmed}
            </button>
          </div>
        </>
      )}
      <p className="aside">
        <BackButton giveUp={giveUp} />
      </p>
    </>
  );
}

/** Adds a passkey, and logs in with it. */
function PasskeySetUp({ waiting: { challenge, password } }: Pick<Properties, 'waiting'>) {
  const { passkeys } = useAuth();
  const { login } = useTexts();
  const [error, setError] = useState<AuthError<string> | null>(null);
  if (!(settings.passkeys && passkeys.isSupported())) {
    return null;
  }
  const setUp = async () => {
    setError(null);
    const added = await passkeys.add({ password, challenge });
    const result = added.ok ? await passkeys.login() : added;
    if (result.ok) {
      const { name } = result.data.account;
      announce(({ session }) => session.begun(name));
    } else if (result.error.code !== 'CANCELLED') {
      setError(result.error);
    }
  };
  return (
    <>
      <Problem error={error} />
      <div className="buttons passkey">
        <BusyButton onClick={setUp}>{login.setUpPasskey}</BusyButton>
      </div>
    </>
  );
}

/** The challenge has expired, or is used up. */
const isOfChallenge = (error: AuthError<string>): boolean =>
  error.code === 'BAD_USER_INPUT' && error.fields.challenge !== undefined;

const BackButton = ({ giveUp }: Pick<Properties, 'giveUp'>) => (
  <button type="button" onClick={giveUp}>
    {useTexts().login.backToPassword}
  </button>
);
