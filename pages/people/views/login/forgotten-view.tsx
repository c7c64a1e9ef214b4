import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { goTo } from '../../navigation/route.ts';

/** Asks for a mail with a reset link. */
export function ForgottenView() {
  const client = useAuth();
  const { fields, hints, login } = useTexts();
  const form = useForm({
    labels: { email: fields.email },
    initial: { email: '' },
    send: ({ email }, { signal }) => client.password.requestReset(email, { signal }),
    // The same for every address: nobody learns here who has an account.
    done: () => goTo('/login', (texts) => texts.login.linkSent),
  });
  return (
    <>
      <Form form={form} submitText={login.sendLink}>
        <TextField field={form.field('email')} type="email" autoComplete="username" hint={hints.forgotten} />
      </Form>
      <p className="aside">
        <a href="#/login">{login.backToLogin}</a>
      </p>
    </>
  );
}
