import { useCallback, useRef, useState } from 'react';
import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { STAY } from '../account-fields.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeStep, SetUpStep, type Waiting } from './second-step.tsx';

export function LoginView() {
  const enter = useEnter();
  const [waiting, setWaiting] = useState<Waiting>();
  const giveUp = useCallback(() => setWaiting(undefined), []);
  const sent = useRef({ password: '', staysLoggedIn: false });
  const form = useForm({
    labels: { email: 'E-mail', password: 'Password', staysLoggedIn: STAY.label },
    initial: { email: '', password: '', staysLoggedIn: false },
    send({ staysLoggedIn, ...credentials }, { signal }) {
      sent.current = { staysLoggedIn, password: credentials.password };
      return enter(staysLoggedIn, (client) => client.login(credentials, { signal }));
    },
    done: ({ account }) => announce(`Welcome back, ${account.name}.`),
    handles(error) {
      if (error.code !== 'TWO_FACTOR_REQUIRED' && error.code !== 'TWO_FACTOR_SETUP_REQUIRED') {
        return false;
      }
      const kind = error.code === 'TWO_FACTOR_REQUIRED' ? 'code' : 'set up';
      const methods = error.code === 'TWO_FACTOR_REQUIRED' ? error.methods : [];
      setWaiting({ kind, challenge: error.challenge, methods, ...sent.current });
      return true;
    },
  });
  if (waiting) {
    const Step = waiting.kind === 'code' ? CodeStep : SetUpStep;
    return <Step waiting={waiting} giveUp={giveUp} />;
  }
  return (
    <>
      <Form form={form} submitText="Log in">
        <TextField field={form.field('email')} type="email" autoComplete="username webauthn" />
        <CurrentPasswordField field={form.field('password')} />
        <CheckField field={form.field('staysLoggedIn')} hint={STAY.hint} />
      </Form>
      <PasskeyButton staysLoggedIn={form.values.staysLoggedIn} text="Sign in with a passkey" hasSuggestions />
      <p className="aside">
        <a href="#/forgotten">Forgotten your password?</a>
      </p>
      <p className="aside">
        New here? Register as a <a href="#/register/doctor">doctor</a> or as a{' '}
        <a href="#/register/patient">patient</a>.
      </p>
    </>
  );
}
