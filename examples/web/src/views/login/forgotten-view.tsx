import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { goTo } from '../../navigation/route.ts';

/** The same for every address: nobody learns here who has an account. */
const SENT = 'If there is an account with this e-mail, a mail with a link is on its way to it.';

/** Asks for a mail with a reset link. */
export function ForgottenView() {
  const client = useAuth();
  const form = useForm({
    labels: { email: 'E-mail' },
    initial: { email: '' },
    send: ({ email }, { signal }) => client.password.requestReset(email, { signal }),
    done: () => goTo('/login', SENT),
  });
  return (
    <>
      <Form form={form} submitText="Send the link">
        <TextField
          field={form.field('email')}
          type="email"
          autoComplete="username"
          hint="We send a link to this address. It works for an hour."
        />
      </Form>
      <p className="aside">
        <a href="#/login">Back to the login</a>
      </p>
    </>
  );
}
