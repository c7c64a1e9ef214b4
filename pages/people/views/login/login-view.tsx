import { useAuth } from '@auth-gateway/client/react';
import { useCallback, useRef, useState } from 'react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { settings } from '../../settings.ts';
import { isOpen } from '../register/invited.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeStep, SetUpStep, type Waiting } from './second-step.tsx';

export function LoginView() {
  const client = useAuth();
  const { fields, login } = useTexts();
  const [waiting, setWaiting] = useState<Waiting>();
  const giveUp = useCallback(() => setWaiting(undefined), []);
  const sentPassword = useRef('');
  const form = useForm({
    labels: { email: fields.email, password: fields.password },
    initial: { email: '', password: '' },
    send(credentials, { signal }) {
      sentPassword.current = credentials.password;
      return client.login(credentials, { signal });
    },
    done: ({ account }) => announce(({ session }) => session.begun(account.name)),
    handles(error) {
      if (error.code !== 'TWO_FACTOR_REQUIRED' && error.code !== 'TWO_FACTOR_SETUP_REQUIRED') {
        return false;
      }
      const kind = error.code === 'TWO_FACTOR_REQUIRED' ? 'code' : 'set up';
      const methods = error.code === 'TWO_FACTOR_REQUIRED' ? error.methods : [];
      setWaiting({ kind, challenge: error.challenge, methods, password: sentPassword.current });
      return true;
    },
  });
  if (waiting) {
    const Step = waiting.kind === 'code' ? CodeStep : SetUpStep;
    return <Step waiting={waiting} giveUp={giveUp} />;
  }
  return (
    <>
      <Form form={form} submitText={login.logIn}>
        <TextField field={form.field('email')} type="email" autoComplete="username webauthn" />
        <CurrentPasswordField field={form.field('password')} />
      </Form>
      <PasskeyButton text={login.withPasskey} hasSuggestions />
      {settings.mails && (
        <p className="aside">
          <a href="#/forgotten">{login.forgotten}</a>
        </p>
      )}
      <NewHere />
      {settings.staffUrl && (
        <p className="aside">
          {login.staff} <a href={settings.staffUrl}>{login.console}</a>
        </p>
      )}
    </>
  );
}

/** The registrations that are open, or whom to ask. */
function NewHere() {
  const { login, register, titles } = useTexts();
  const open = (['/register/doctor', '/register/patient'] as const).filter(isOpen);
  const short = { '/register/doctor': login.asDoctor, '/register/patient': login.asPatient };
  const [first, second] = open.map((place) => (
    <a key={place} href={`#${place}`}>
      {(open.length > 1 ? short : titles)[place]}
    </a>
  ));
  return (
    <p className="aside">
      {login.newHere} {first ?? register.closed(settings.contact ?? '')} {second && login.or} {second}
    </p>
  );
}
