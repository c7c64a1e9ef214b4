import { type ReactNode, useState } from 'react';
import { ApiError, send } from './api.ts';
import { Field, Form } from './dialog.tsx';
import {
  BeginSetUpDocument,
  type BeginSetUpMutation,
  CompleteLoginDocument,
  FinishSetUpDocument,
  type FinishSetUpMutation,
  LoginDocument,
  type SessionFieldsFragment,
} from './generated/graphql.ts';
import { type Bilingual, LanguageButton, say } from './language.tsx';
import { Shown, useLoaded } from './loading.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { begin, type SessionEnd, sessionEnd } from './session.ts';

/** Begins the session that an answer has. */
export const enter = ({ token, operator }: SessionFieldsFragment): void => begin({ token, ...operator });

/** A recovery code has letters or dashes. */
export const proofOf = (text: string) => (/^[\d\s]*$/.test(text) ? { code: text } : { recoveryCode: text });

interface FieldProperties {
  error: ApiError | undefined;
}

/** The password of whoever logs in. */
export const PasswordField = ({ error }: FieldProperties) => (
  <Field
    label={say('Password', 'Passwort')}
    name="password"
    type="password"
    autoComplete="current-password"
    error={error}
  />
);

/** The second factor of whoever logs in. */
export const CodeField = ({ error }: FieldProperties) => (
  <Field
    label="Code"
    name="code"
    hint={say(
      'Six digits of the authenticator app, or a recovery code.',
      'Sechs Ziffern der Authenticator-App, oder ein Wiederherstellungscode.',
    )}
    autoComplete="one-time-code"
    error={error}
  />
);

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="card">
    <h1>{title}</h1>
    {children}
    <LanguageButton />
  </main>
);

const ENDS: Record<SessionEnd, Bilingual> = {
  LOGGED_OUT: ['You are logged out.', 'Sie sind abgemeldet.'],
  IDLE: [
    'You were logged out after 15 minutes without activity.',
    'Sie wurden nach 15 Minuten ohne Taste oder Klick abgemeldet.',
  ],
  ENDED: ['Your session has ended. Log in again.', 'Ihre Sitzung ist beendet. Melden Sie sich neu an.'],
  TOO_OLD: [
    'Your session has ended after 12 hours. Log in again.',
    'Ihre Sitzung ist nach 12 Stunden beendet. Melden Sie sich neu an.',
  ],
};

/** The login of operators and reviewers: the password, and then a code. */
export function LoginPage() {
  const [challenge, setChallenge] = useState<string>();
  const end = sessionEnd();
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
    <Card title={say('Operators’ console', 'Konsole für Betreiber und Prüfstelle')}>
      {end && <p role="status">{say(...ENDS[end])}</p>}
      {challenge === undefined ? (
        <Form key="password" submit={say('Log in', 'Anmelden')} send={logIn}>
          {(error) => (
            <>
              <Field
                label={say('E-mail', 'E-Mail')}
                name="email"
                type="email"
                autoComplete="username"
                error={error}
              />
              <PasswordField error={error} />
            </>
          )}
        </Form>
      ) : (
        <Form
          key="code"
          submit={say('Continue', 'Weiter')}
          send={complete}
          onCancel={() => setChallenge(undefined)}
        >
          {(error) => <CodeField error={error} />}
        </Form>
      )}
      <p className="hint">
        {say(
          'Forgotten your password, or lost the app and the recovery codes? Ask somebody with a shell on the server: “auth-gateway admin accounts set-up-link” makes a link for you. It works once, within an hour.',
          'Passwort vergessen, oder App und Wiederherstellungscodes verloren? Fragen Sie jemanden mit Zugang zum Server: „auth-gateway admin accounts set-up-link“ erzeugt einen Link für Sie. Er gilt einmal, und nur eine Stunde.',
        )}
      </p>
    </Card>
  );
}

/** The set-up of an account by a link of the command line. A page that is only opened does not use the link up. */
export function SetUpPage({ token, onDone }: { token: string; onDone(): void }) {
  const [isBegun, setIsBegun] = useState(false);
  return (
    <Card title={say('Set up your account', 'Konto einrichten')}>
      {isBegun ? (
        <SetUpForm token={token} onDone={onDone} />
      ) : (
        <>
          <p>
            {say(
              'You choose a password and add an authenticator app, such as the one of your telephone. Both are needed at every login. The link works once.',
              'Sie wählen ein Passwort und richten eine Authenticator-App ein, etwa die Ihres Telefons. Jede Anmeldung verlangt beides. Der Link gilt einmal.',
            )}
          </p>
          <p className="buttons">
            <button type="button" className="primary" onClick={() => setIsBegun(true)}>
              {say('Begin', 'Beginnen')}
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
        <h2>{say('Keep these recovery codes', 'Bewahren Sie diese Wiederherstellungscodes auf')}</h2>
        <p>
          {say(
            'Each works once in place of a code of the app. They are shown only here.',
            'Jeder gilt einmal, an Stelle eines Codes der App. Sie werden nur hier gezeigt.',
          )}
        </p>
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
          <Form submit={say('Finish', 'Fertig')} send={finish}>
            {(error) => (
              <>
                <Field
                  label={say('New password', 'Neues Passwort')}
                  name="newPassword"
                  type="password"
                  autoComplete="new-password"
                  hint={say(
                    'At least 8 characters. Long sentences are good passwords.',
                    'Mindestens 8 Zeichen. Lange Sätze sind gute Passwörter.',
                  )}
                  error={error}
                />
                <Field
                  label="Code"
                  name="code"
                  hint={say(
                    'The six digits that the app shows now.',
                    'Die sechs Ziffern, die die App jetzt zeigt.',
                  )}
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
    <p>
      {say(
        'Scan this with the app, or type the key:',
        'Scannen Sie das mit der App, oder geben Sie den Schlüssel ein:',
      )}
    </p>
    <img
      className="qr"
      src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
      alt={say('QR code for the authenticator app', 'QR-Code für die Authenticator-App')}
      width="220"
      height="220"
    />
    <p>
      <code>{secretKey}</code>
    </p>
  </>
);
