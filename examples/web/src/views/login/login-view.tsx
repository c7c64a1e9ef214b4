import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { STAY } from '../account-fields.ts';

export function LoginView() {
  const enter = useEnter();
  const form = useForm({
    labels: { email: 'E-mail', password: 'Password', staysLoggedIn: STAY.label },
    initial: { email: '', password: '', staysLoggedIn: false },
    send: ({ staysLoggedIn, ...credentials }, { signal }) =>
      enter(staysLoggedIn, (client) => client.login(credentials, { signal })),
    done: ({ account }) => announce(`Welcome back, ${account.name}.`),
  });
  return (
    <>
      <Form form={form} submitText="Log in">
        <TextField field={form.field('email')} type="email" autoComplete="username" />
        <CurrentPasswordField field={form.field('password')} />
        <CheckField field={form.field('staysLoggedIn')} hint={STAY.hint} />
      </Form>
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
