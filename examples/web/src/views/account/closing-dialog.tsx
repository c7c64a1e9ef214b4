import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { PROOF, PROOF_LABELS, ProofFields } from '../../second-factor/proof-fields.tsx';
import { hasEnded, leave } from '../../session/leave.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { dayText } from '../../ui/times.ts';

/** Closes the account, with the password, and with a code if it has a second factor. */
export function ClosingDialog({ hasFactor, onClose }: { hasFactor: boolean; onClose(): void }) {
  const client = useAuth();
  const form = useForm({
    labels: { password: 'Password', ...PROOF_LABELS },
    initial: { password: '', ...PROOF },
    send: (input, { signal }) => leave(() => client.deleteMyAccount(input, { signal })),
    done: ({ erasedAfter }) =>
      announce(`Your account is closed. It will be erased after ${dayText(erasedAfter)}.`),
    handles: hasEnded,
  });
  return (
    <Dialog title="Close your account?" onClose={onClose}>
      <p>You are logged out at once, and cannot log in any more. Your data is erased later.</p>
      <Form
        form={form}
        submitText="Close my account"
        otherButtons={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      >
        <CurrentPasswordField field={form.field('password')} />
        {hasFactor && <ProofFields code={form.field('code')} recoveryCode={form.field('recoveryCode')} />}
      </Form>
    </Dialog>
  );
}
