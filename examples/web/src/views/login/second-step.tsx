import type { AuthError } from '@auth-gateway/client';
import { useEffect, useState } from 'react';
import { Form } from '../../form/form.tsx';
import { Problem } from '../../form/problems.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { AppSetUp, type NewApp } from '../../second-factor/app-set-up.tsx';
import { PROOF, PROOF_LABELS, ProofFields } from '../../second-factor/proof-fields.tsx';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { clientFor } from '../../session/clients.ts';
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
  staysLoggedIn: boolean;
}

interface Properties {
  waiting: Waiting;
  /** Back to the password: the challenge is no more. */
  giveUp(): void;
}

/** Asks for the code of an account with a second factor. */
export function CodeStep({ waiting: { challenge, methods, staysLoggedIn }, giveUp }: Properties) {
  const enter = useEnter();
  const form = useForm({
    labels: PROOF_LABELS,
    initial: PROOF,
    send: (proof, { signal }) =>
      enter(staysLoggedIn, (client) => client.completeLogin({ challenge, ...proof }, { signal })),
    done: ({ account }) => announce(`Welcome back, ${account.name}.`),
    handles(error) {
      const [text] = (error.code === 'BAD_USER_INPUT' && error.fields.challenge) || [];
      if (text !== undefined) {
        announce(text);
        giveUp();
      }
      return text !== undefined;
    },
  });
  const { id } = form.field('code');
  // The field of the password, which had the focus, is gone.
  useEffect(() => document.getElementById(id)?.focus(), [id]);
  return (
    <>
      {methods.includes('passkey') && <PasskeyButton staysLoggedIn={staysLoggedIn} text="Use your passkey" />}
      {methods.includes('recovery_code') ? (
        <Form form={form} submitText="Log in" otherButtons={<BackButton giveUp={giveUp} />}>
          <ProofFields code={form.field('code')} recoveryCode={form.field('recoveryCode')} />
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
  const { challenge, password, staysLoggedIn } = waiting;
  const enter = useEnter();
  const client = clientFor(staysLoggedIn);
  const [begin] = useState(() => () => client.enableTwoFactor({ password, challenge }));
  const app: Answer<NewApp> = useAnswer(begin);
  const ended = app.error?.code === 'BAD_USER_INPUT' ? textsOf(app.error.fields.challenge) : '';
  useEffect(() => {
    if (ended) {
      announce(ended);
      giveUp();
    }
  }, [ended, giveUp]);
  const isUnproven = app.error?.code === 'BAD_USER_INPUT' && 'email' in app.error.fields;
  const sendLink = async () => {
    const sent = await client.requestEmailVerification({ challenge });
    announce(sent.ok ? 'A link is on its way to you, if you got none in this minute.' : sent.error.message);
  };
  return (
    <>
      <p>Your account needs a second factor: a passkey, or an authenticator app on your phone.</p>
      <PasskeySetUp waiting={waiting} />
      <Problem error={isUnproven || app.error?.code === 'NOT_FOUND' ? null : app.error} />
      {app.data && (
        <AppSetUp
          app={app.data}
          confirm={(code, signal) =>
            enter(staysLoggedIn, (chosen) => chosen.confirmTwoFactor({ code, challenge }, { signal }))
          }
          done={() => {}}
        />
      )}
      {isUnproven && (
        <>
          <p>First confirm your e-mail address: open the link in the mail that you got.</p>
          <div className="buttons">
            <BusyButton onClick={sendLink}>Send me the link again</BusyButton>
            <button type="button" className="primary" onClick={app.refresh}>
              I have confirmed it
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

/** Adds a passkey, and logs in with it. A gateway without passkeys says so. */
function PasskeySetUp({ waiting: { challenge, password, staysLoggedIn } }: Pick<Properties, 'waiting'>) {
  const enter = useEnter();
  const [error, setError] = useState<AuthError<string> | null>(null);
  const { passkeys } = clientFor(staysLoggedIn);
  if (!passkeys.isSupported()) {
    return null;
  }
  const setUp = async () => {
    setError(null);
    const added = await passkeys.add({ password, challenge });
    const result = added.ok ? await enter(staysLoggedIn, (client) => client.passkeys.login()) : added;
    if (result.ok) {
      announce(`Welcome back, ${result.data.account.name}.`);
    } else if (result.error.code !== 'CANCELLED') {
      setError(result.error);
    }
  };
  return (
    <>
      <Problem error={error} />
      <div className="buttons">
        <BusyButton onClick={setUp}>Set up a passkey</BusyButton>
      </div>
    </>
  );
}

const textsOf = (texts: readonly string[] = []): string => texts.join(' ');

const BackButton = ({ giveUp }: Pick<Properties, 'giveUp'>) => (
  <button type="button" onClick={giveUp}>
    Back to the password
  </button>
);
