import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { goTo, type Route } from '../../navigation/route.ts';
import { NewPasswordField } from '../../password/new-password-field.tsx';
import { useResetPassword } from './use-reset-password.ts';

/** Sets a new password with the token of a reset link, or with a code that an operator has given. */
export function ResetView({ route }: { route: Route }) {
  // Another link, opened in the same tab, begins anew.
  return <ResetForm key={route.linkToken} givenToken={route.linkToken} />;
}

function ResetForm({ givenToken }: { givenToken: string }) {
  // The token of a link is not shown, unless the gateway refuses it.
  const [isShown, setShown] = useState(givenToken === '');
  const reset = useResetPassword();
  const form = useForm({
    labels: { token: 'Reset code', newPassword: 'New password' },
    initial: { token: givenToken, newPassword: '' },
    send: reset,
    done: () => goTo('/login', 'Your new password is set. Please log in with it.'),
    handles(error) {
      setShown(isShown || ('fields' in error && error.fields.token !== undefined));
      return false;
    },
  });
  return (
    <>
      <Form form={form} submitText="Set the new password">
        <TextField
          field={form.field('token')}
          hint="From the link in the mail, or from the operator"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          hidden={!isShown}
        />
        <NewPasswordField field={form.field('newPassword')} />
      </Form>
      <p className="aside">
        <a href="#/forgotten">Ask for another link</a>
      </p>
    </>
  );
}
