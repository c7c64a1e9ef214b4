import type { AuthError, OwnAccount } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { PROOF, PROOF_LABELS, ProofFields } from '../../second-factor/proof-fields.tsx';
import { hasEnded } from '../../session/leave.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { SectionHead } from '../../ui/section-head.tsx';

/** Says that nobody has confirmed the e-mail address, and sends the link again. */
export function UnconfirmedBanner({ fail }: { fail(error: AuthError): void }) {
  const client = useAuth();
  const send = async () => {
    const result = await client.requestEmailVerification();
    if (result.ok) {
      announce('A link is on its way to you, if you got none in this minute.');
    } else {
      fail(result.error);
    }
  };
  return (
    <section className="banner pending">
      <SectionHead title="Your e-mail address is not confirmed">
        <BusyButton onClick={send}>Send me the link again</BusyButton>
      </SectionHead>
      <p>Open the link in the mail that you got when you registered, and press the button on its page.</p>
    </section>
  );
}

/** Asks for another e-mail address. It changes when the link is used that is mailed there. */
export function EmailSection({ account, hasFactor }: { account: OwnAccount; hasFactor: boolean }) {
  const client = useAuth();
  const form = useForm({
    labels: { email: 'New e-mail address', password: 'Your password', ...PROOF_LABELS },
    initial: { email: '', password: '', ...PROOF },
    send: (values, { signal }) => client.changeEmail(values, { signal }),
    done() {
      form.reset();
      announce('Open the link in the mail to the new address: your address changes then.');
    },
    handles: hasEnded,
  });
  return (
    <section>
      <SectionHead title="E-mail address" />
      <p>Your address is {account.email}.</p>
      <Form form={form} submitText="Change the address">
        <TextField field={form.field('email')} type="email" autoComplete="email" />
        <CurrentPasswordField field={form.field('password')} />
        {hasFactor && <ProofFields code={form.field('code')} recoveryCode={form.field('recoveryCode')} />}
      </Form>
    </section>
  );
}
