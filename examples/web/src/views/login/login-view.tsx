import { useCallback, useRef, useState } from 'react';
import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeStep, SetUpStep, type Waiting } from './second-step.tsx';

export function LoginView() {
  const enter = useEnter();
  const { fields, hints, login } = useTexts();
  const [waiting, setWaiting] = useState<Waiting>();
  const giveUp = useCallback(() => setWaiting(undefined), []);
  const sent = useRef({ password: '', staysLoggedIn: false });
  const form = useForm({
    labels: { email: fields.email, password: fields.password, staysLoggedIn: fields.staysLoggedIn },
    initial: { email: '', password: '', staysLoggedIn: false },
    send({ staysLoggedIn, ...credentials }, { signal }) {
      sent.current = { staysLoggedIn, password: credentials.password };
      return enter(staysLoggedIn, (client) => client.login(credentials, { signal }));
    },
    done: ({ account }) => announce(({ session }) => session.begun(account.name)),
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
      <Form form={form} submitText={login.logIn}>
        <TextField field={form.field('email')} type="email" autoComplete="username webauthn" />
        <CurrentPasswordField field={form.field('password')} />
        <CheckField field={form.field('staysLoggedIn')} hint={hints.staysLoggedIn} />
      </Form>
      <PasskeyButton staysLoggedIn={form.values.staysLoggedIn} text={login.withPasskey} hasSuggestions />
      <p className="aside">
        <a href="#/forgotten">{login.forgotten}</a>
      </p>
      <p className="aside">
        {login.newHere} <a href="#/register/doctor">{login.asDoctor}</a> {login.or}{' '}
        <a href="#/register/patient">{login.asPatient}</a>
      </p>
    </>
  );
}
