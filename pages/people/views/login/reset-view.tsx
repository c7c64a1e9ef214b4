import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { goTo, type Route } from '../../navigation/route.ts';
import { NewPasswordField } from '../../password/new-password-field.tsx';
import { settings } from '../../settings.ts';
import { useLinkCode } from './link-code.tsx';
import { useResetPassword } from './use-reset-password.ts';

/** Sets a new password with the token of a reset link, or with a code that an operator has given. */
export function ResetView({ route }: { route: Route }) {
  // Another link, opened in the same tab, begins anew.
  return <ResetForm key={route.linkToken} givenToken={route.linkToken} />;
}

function ResetForm({ givenToken }: { givenToken: string }) {
  const code = useLinkCode(givenToken);
  const reset = useResetPassword();
  const { fields, hints, login } = useTexts();
  const form = useForm({
    labels: { token: fields.resetCode, newPassword: fields.newPassword },
    initial: { token: givenToken, newPassword: '' },
    send: reset,
    done: () => goTo('/login', (texts) => texts.login.passwordSet),
    handles: code.handles,
  });
  return (
    <>
      <Form form={form} submitText={login.setPassword}>
        {code.fieldFor(form.field('token'), hints.resetCode)}
        <NewPasswordField field={form.field('newPassword')} />
      </Form>
      {settings.mails && (
        <p className="aside">
          <a href="#/forgotten">{login.anotherLink}</a>
        </p>
      )}
    </>
  );
}
