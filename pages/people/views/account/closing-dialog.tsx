import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { dayText, useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { CurrentPasswordField } from '../../password/password-field.tsx';
import { PROOF, ProofFields, proofLabels } from '../../second-factor/proof-fields.tsx';
import { hasEnded, leave } from '../../session/leave.ts';
import { Dialog } from '../../ui/dialog.tsx';

/** Closes the account, with the password, and with a code if it has a second factor. */
export function ClosingDialog({ hasFactor, onClose }: { hasFactor: boolean; onClose(): void }) {
  const client = useAuth();
  const texts = useTexts();
  const { cancel, fields, leaving } = texts;
  const form = useForm({
    labels: { password: fields.password, ...proofLabels(texts) },
    initial: { password: '', ...PROOF },
    send: (input, { signal }) => leave(() => client.deleteMyAccount(input, { signal })),
    done: ({ erasedAfter }) => announce((present) => present.leaving.closed(dayText(erasedAfter))),
    handles: hasEnded,
  });
  return (
    <Dialog title={leaving.closeTitle} onClose={onClose}>
      <p>{leaving.closeText}</p>
      <Form
        form={form}
        submitText={leaving.closeSubmit}
        otherButtons={
          <button type="button" onClick={onClose}>
            {cancel}
          </button>
        }
      >
        <CurrentPasswordField field={form.field('password')} />
        {hasFactor && <ProofFields form={form} />}
      </Form>
    </Dialog>
  );
}
