import type { AuthError, Result } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { AppSetUp, type NewApp } from '../../second-factor/app-set-up.tsx';
import { PROOF, PROOF_LABELS, ProofFields } from '../../second-factor/proof-fields.tsx';
import { showRecoveryCodes } from '../../second-factor/recovery-codes.tsx';
import { hasEnded } from '../../session/leave.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SectionHead } from '../../ui/section-head.tsx';

/** The second factor of the account, as the gateway shows it. */
export interface SecondFactor {
  enabled: boolean;
  recoveryCodesLeft: number;
  required: boolean;
}

interface Properties {
  state: SecondFactor;
  /** Called when something has changed. */
  changed(): void;
}

type Task = 'set up' | 'codes' | 'remove';
type Reauthentication = { password: string; code: string; recoveryCode: string };

/** The authenticator app and the recovery codes. */
export function SecondFactorSection({ state, changed }: Properties) {
  const client = useAuth();
  const [task, setTask] = useState<Task>();
  const [app, setApp] = useState<NewApp>();
  const { enabled, recoveryCodesLeft, required } = state;
  const close = () => {
    setTask(undefined);
    setApp(undefined);
  };
  const end = (notice?: string) => {
    close();
    changed();
    if (notice) {
      announce(notice);
    }
  };
  return (
    <section>
      <SectionHead title="Second factor" />
      <p>
        {enabled
          ? `A login asks for a code of your authenticator app. Recovery codes left: ${recoveryCodesLeft}.`
          : 'With an authenticator app, nobody gets in with your password alone.'}
      </p>
      <div className="buttons">
        <button type="button" onClick={() => setTask('set up')}>
          {enabled ? 'Replace the app…' : 'Set up an app…'}
        </button>
        {enabled && (
          <button type="button" onClick={() => setTask('codes')}>
            New recovery codes…
          </button>
        )}
        {enabled && !required && (
          <button type="button" className="danger" onClick={() => setTask('remove')}>
            Remove…
          </button>
        )}
      </div>
      {task === 'set up' && (
        <Dialog title={enabled ? 'Replace your app' : 'Set up an app'} onClose={close}>
          {app ? (
            <AppSetUp
              app={app}
              confirm={(code, signal) => client.confirmTwoFactor({ code }, { signal })}
              done={() => end()}
            />
          ) : (
            <Reauthenticate
              hasFactor={enabled}
              submitText="Go on"
              send={(fields) => client.enableTwoFactor(fields)}
              done={setApp}
              close={close}
            />
          )}
        </Dialog>
      )}
      {task === 'codes' && (
        <Dialog title="New recovery codes" onClose={close}>
          <p>The former ones do not work any more.</p>
          <Reauthenticate
            hasFactor
            submitText="Make new codes"
            send={(fields) => client.renewRecoveryCodes(fields)}
            done={({ recoveryCodes }) => {
              end();
              showRecoveryCodes(recoveryCodes);
            }}
            close={close}
          />
        </Dialog>
      )}
      {task === 'remove' && (
        <Dialog title="Remove the second factor?" onClose={close}>
          <p>Your password alone is enough to log in then.</p>
          <Reauthenticate
            hasFactor
            submitText="Remove"
            send={(fields) => client.disableTwoFactor(fields)}
            done={() => end('Your second factor is removed.')}
            close={close}
          />
        </Dialog>
      )}
    </section>
  );
}

interface ReauthenticateProperties<Data> {
  hasFactor: boolean;
  submitText: string;
  send(fields: Reauthentication): Promise<Result<Data, string>>;
  done(data: Data): void;
  /** Called with each error; true if it is shown elsewhere. */
  handles?(error: AuthError<string>): boolean;
  close(): void;
}

/** The password, and for an account with a second factor also a code. */
export function Reauthenticate<Data>({
  hasFactor,
  submitText,
  send,
  done,
  handles = hasEnded,
  close,
}: ReauthenticateProperties<Data>) {
  const form = useForm({
    labels: { password: 'Your password', ...PROOF_LABELS },
    initial: { password: '', ...PROOF },
    send: (fields) => send(fields) as Promise<Result<Data, keyof Reauthentication>>,
    done,
    handles,
  });
  return (
    <Form
      form={form}
      submitText={submitText}
      otherButtons={
        <button type="button" onClick={close}>
          Cancel
        </button>
      }
    >
      <CurrentPasswordField field={form.field('password')} />
      {hasFactor && <ProofFields code={form.field('code')} recoveryCode={form.field('recoveryCode')} />}
    </Form>
  );
}
