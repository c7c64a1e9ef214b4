import { type ReactNode, useState } from 'react';
import { RecoveryCodes } from '../shared/recovery-codes.tsx';
import { ApiError, send } from './api.ts';
import { Dialog, Field, Form } from './dialog.tsx';
import {
  BeginSetUpDocument,
  type BeginSetUpMutation,
  CompleteLoginDocument,
  FinishSetUpDocument,
  type FinishSetUpMutation,
  LoginDocument,
  type SessionFieldsFragment,
  StepUpDocument,
} from './generated/graphql.ts';
import { Shown, useLoaded } from './loading.tsx';
import { begin, endNotice } from './session.ts';

const enter = ({ token, operator }: SessionFieldsFragment): void => begin({ token, ...operator });

const CODE_HINT = 'Six digits of the authenticator app, or a recovery code.';

/** A recovery code has letters or dashes. */
const proofOf = (text: string) => (/^[\d\s]*$/.test(text) ? { code: text } : { recoveryCode: text });

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="card">
    <h1>{title}</h1>
    {children}
  </main>
);

/** The login of operators and reviewers: the password, and then a code. */
export function LoginPage() {
  const [challenge, setChallenge] = useState<string>();
  const logIn = async ({ email = '', password = '' }: Record<string, string>) => {
    try {
      enter((await send(LoginDocument, { input: { email, password } })).login);
    } catch (error) {
      if (!(error instanceof ApiError) || error.challenge === undefined) {
        throw error;
      }
      setChallenge(error.challenge);
    }
  };
  const complete = async ({ code = '' }: Record<string, string>) => {
    const input = { challenge: challenge ?? '', ...proofOf(code) };
    enter((await send(CompleteLoginDocument, { input })).completeLogin);
  };
  return (
    <Card title="Operators’ console">
      {endNotice() && <p role="status">{endNotice()}</p>}
      {challenge === undefined ? (
        <Form key="password" submit="Log in" send={logIn}>
          {(error) => (
            <>
              <Field label="E-mail" name="email" type="email" autoComplete="username" error={error} />
              <Field
                label="Password"
                name="password"
                type="password"
                autoComplete="current-password"
                error={error}
              />
            </>
          )}
        </Form>
      ) : (
        <Form key="code" submit="Continue" send={complete} onCancel={() => setChallenge(undefined)}>
          {(error) => (
            <Field label="Code" name="code" hint={CODE_HINT} autoComplete="one-time-code" error={error} />
          )}
        </Form>
      )}
    </Card>
  );
}

/** Proves once more who is logged in, because a change needs that. */
export function StepUp({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const prove = async ({ password = '', code = '' }: Record<string, string>) => {
    enter((await send(StepUpDocument, { input: { password, ...proofOf(code) } })).stepUp);
    onDone();
  };
  return (
    <Dialog title="Is it still you?" onClose={onClose}>
      <p>A change needs your password and a code of the last 15 minutes.</p>
      <Form submit="Continue" send={prove} onCancel={onClose}>
        {(error) => (
          <>
            <Field
              label="Password"
              name="password"
              type="password"
              autoComplete="current-password"
              error={error}
            />
            <Field label="Code" name="code" hint={CODE_HINT} autoComplete="one-time-code" error={error} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** The set-up of an account by a link of the command line. A page that is only opened does not use the link up. */
export function SetUpPage({ token, onDone }: { token: string; onDone(): void }) {
  const [isBegun, setIsBegun] = useState(false);
  return (
    <Card title="Set up your account">
      {isBegun ? (
        <SetUpForm token={token} onDone={onDone} />
      ) : (
        <>
          <p>
            You choose a password and add an authenticator app, such as the one of your telephone. Both are
            needed at every login. The link works once.
          </p>
          <p className="buttons">
            <button type="button" className="primary" onClick={() => setIsBegun(true)}>
              Begin
            </button>
          </p>
        </>
      )}
    </Card>
  );
}

function SetUpForm({ token, onDone }: { token: string; onDone(): void }) {
  const begun = useLoaded(
    token,
    async () => (await send(BeginSetUpDocument, { input: { token } })).beginSetUp,
  );
  const [done, setDone] = useState<FinishSetUpMutation['finishSetUp']>();
  const finish = async ({ newPassword = '', code = '' }: Record<string, string>) => {
    setDone((await send(FinishSetUpDocument, { input: { token, newPassword, code } })).finishSetUp);
  };
  if (done) {
    return (
      <>
        <h2>Keep these recovery codes</h2>
        <p>Each works once in place of a code of the app. They are shown only here.</p>
        <RecoveryCodes
          codes={done.recoveryCodes}
          service={issuerOf(begun.data)}
          onKept={() => {
            enter(done);
            onDone();
          }}
        />
      </>
    );
  }
  return (
    <Shown loaded={begun}>
      {(app) => (
        <>
          <AppSecret app={app} />
          <Form submit="Finish" send={finish}>
            {(error) => (
              <>
                <Field
                  label="New password"
                  name="newPassword"
                  type="password"
                  autoComplete="new-password"
                  hint="At least 8 characters. Long sentences are good passwords."
                  error={error}
                />
                <Field
                  label="Code"
                  name="code"
                  hint="The six digits that the app shows now."
                  autoComplete="one-time-code"
                  error={error}
                />
              </>
            )}
          </Form>
        </>
      )}
    </Shown>
  );
}

/** The name of the service in the address of the app. */
const issuerOf = (app: BeginSetUpMutation['beginSetUp'] | undefined): string =>
  (app && new URL(app.url).searchParams.get('issuer')) || 'auth-gateway';

const AppSecret = ({ app: { svg, secretKey } }: { app: BeginSetUpMutation['beginSetUp'] }) => (
  <>
    <p>Scan this with the app, or type the key:</p>
    <img
      className="qr"
      src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
      alt="QR code for the authenticator app"
      width="220"
      height="220"
    />
    <p>
      <code>{secretKey}</code>
    </p>
  </>
);
