import { useAuth, useSession } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { goTo, type Route } from '../../navigation/route.ts';
import { useLinkCode } from './link-code.tsx';

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
  const code = useLinkCode(givenToken);
  const form = useForm({
    labels: { token: fields.linkCode },
    initial: { token: givenToken },
    send: ({ token }, { signal }) => client.verifyEmail({ token }, { signal }),
    done() {
      void client.refresh();
      goTo(status === 'authenticated' ? '/account' : '/login', (texts) => texts.login.confirmed);
    },
    handles: code.handles,
  });
  return (
    <Form form={form} submitText={login.confirmAddress}>
      {code.fieldFor(form.field('token'), hints.linkCode)}
    </Form>
  );
}
