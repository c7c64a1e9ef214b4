import { useAuth, useSession } from '@auth-gateway/client/react';
import { useState } from 'react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { goTo, type Route } from '../../navigation/route.ts';

/**
 * Confirms an e-mail address with the token of a link. It waits for the button: mail scanners open links, and run the scripts of
 * pages.
 */
export function ConfirmView({ route }: { route: Route }) {
  // Another link, opened in the same tab, begins anew.
  return <ConfirmForm key={route.linkToken} givenToken={route.linkToken} />;
}

function ConfirmForm({ givenToken }: { givenToken: string }) {
  const client = useAuth();
  const { fields, hints, login } = useTexts();
  const { status } = useSession();
  const [isShown, setShown] = useState(givenToken === '');
  const form = useForm({
    labels: { token: fields.linkCode },
    initial: { token: givenToken },
    send: ({ token }, { signal }) => client.verifyEmail({ token }, { signal }),
    done() {
      void client.refresh();
      goTo(status === 'authenticated' ? '/account' : '/login', (texts) => texts.login.confirmed);
    },
    handles(error) {
      setShown(isShown || ('fields' in error && error.fields.token !== undefined));
      return false;
    },
  });
  return (
    <Form form={form} submitText={login.confirmAddress}>
      <TextField
        field={form.field('token')}
        hint={hints.linkCode}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        hidden={!isShown}
      />
    </Form>
  );
}
