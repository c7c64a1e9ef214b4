import type { AuthError, Result } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce, type Say } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { AppSetUp, type NewApp } from '../../second-factor/app-set-up.tsx';
import { PROOF, ProofFields, proofLabels } from '../../second-factor/proof-fields.tsx';
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
  /** True after a login with a recovery code. */
  hasLostApp: boolean;
  /** Called when something has changed. */
  changed(): void;
}

type Task = 'set up' | 'codes' | 'remove';
type Reauthentication = { password: string; code: string; recoveryCode: string };

/** The authenticator app and the recovery codes. */
export function SecondFactorSection({ state, hasLostApp, changed }: Properties) {
  const client = useAuth();
  const { factor, goOn, remove } = useTexts();
  const [task, setTask] = useState<Task>();
  const [app, setApp] = useState<NewApp>();
  const { enabled, recoveryCodesLeft, required } = state;
  const close = () => {
    setTask(undefined);
    setApp(undefined);
  };
  const end = (notice?: Say) => {
    close();
    changed();
    if (notice) {
      announce(notice);
    }
  };
  return (
    <section className={hasLostApp ? 'banner pending' : ''}>
      <SectionHead title={factor.title} />
      {hasLostApp && <p>{factor.lostPhone}</p>}
      <p>{enabled ? factor.on(recoveryCodesLeft) : factor.off}</p>
      <div className="buttons">
        <button type="button" onClick={() => setTask('set up')}>
          {enabled ? factor.replace : factor.setUp}
        </button>
        {enabled && (
          <button type="button" onClick={() => setTask('codes')}>
            {factor.newCodes}
          </button>
        )}
        {enabled && !required && (
          <button type="button" className="danger" onClick={() => setTask('remove')}>
            {factor.removeFactor}
          </button>
        )}
      </div>
      {task === 'set up' && (
        <Dialog title={enabled ? factor.replaceTitle : factor.setUpTitle} onClose={close}>
          {app ? (
            <AppSetUp
              app={app}
              confirm={(code, signal) => client.confirmTwoFactor({ code }, { signal })}
              done={() => end()}
            />
          ) : (
            <Reauthenticate
              hasFactor={enabled}
              submitText={goOn}
              send={(fields) => client.enableTwoFactor(fields)}
              done={setApp}
              close={close}
            />
          )}
        </Dialog>
      )}
      {task === 'codes' && (
        <Dialog title={factor.newCodesTitle} onClose={close}>
          <p>{factor.formerCodes}</p>
          <Reauthenticate
            hasFactor
            submitText={factor.makeCodes}
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
        <Dialog title={factor.removeTitle} onClose={close}>
          <p>{factor.removal}</p>
          <Reauthenticate
            hasFactor
            submitText={remove}
            send={(fields) => client.disableTwoFactor(fields)}
            done={() => end((texts) => texts.factor.removed)}
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
  const texts = useTexts();
  const form = useForm({
    labels: { password: texts.fields.ownPassword, ...proofLabels(texts) },
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
          {texts.cancel}
        </button>
      }
    >
      <CurrentPasswordField field={form.field('password')} />
      {hasFactor && <ProofFields form={form} />}
    </Form>
  );
}
