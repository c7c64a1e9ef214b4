import type { AuthError, OwnAccount } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { PROOF, ProofFields, proofLabels } from '../../second-factor/proof-fields.tsx';
import { hasEnded } from '../../session/leave.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { SectionHead } from '../../ui/section-head.tsx';

/** Says that nobody has confirmed the e-mail address, and sends the link again. */
export function UnconfirmedBanner({ fail }: { fail(error: AuthError): void }) {
  const client = useAuth();
  const { email } = useTexts();
  const send = async () => {
    const result = await client.requestEmailVerification();
    if (result.ok) {
      announce((texts) => texts.email.sentAgain);
    } else {
      fail(result.error);
    }
  };
  return (
    <section className="banner pending">
      <SectionHead title={email.unconfirmed}>
        <BusyButton onClick={send}>{email.sendAgain}</BusyButton>
      </SectionHead>
      <p>{email.howToConfirm}</p>
    </section>
  );
}

/** Asks for another e-mail address. It changes when the link is used that is mailed there. */
export function EmailSection({ account, hasFactor }: { account: OwnAccount; hasFactor: boolean }) {
  const client = useAuth();
  const texts = useTexts();
  const { email, fields } = texts;
  const form = useForm({
    labels: { email: fields.newEmail, password: fields.ownPassword, ...proofLabels(texts) },
    initial: { email: '', password: '', ...PROOF },
    send: (values, { signal }) => client.changeEmail(values, { signal }),
    done() {
      form.reset();
      announce((present) => present.email.changing);
    },
    handles: hasEnded,
  });
  return (
    <section>
      <SectionHead title={email.title} />
      <p>{email.yours(account.email)}</p>
      <Form form={form} submitText={email.change}>
        <TextField field={form.field('email')} type="email" autoComplete="email" />
        <CurrentPasswordField field={form.field('password')} />
        {hasFactor && <ProofFields form={form} />}
      </Form>
    </section>
  );
}
