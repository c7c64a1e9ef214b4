import type { Result, ReviewedDoctor } from '@auth-gateway/client';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { textsOf } from './decisions.ts';
import { useDecision } from './use-decision.ts';
import type { Question, ReviewDesk } from './use-review-desk.ts';

interface Properties extends Question {
  desk: ReviewDesk;
  onClose(): void;
}

/** Asks for the reason of a decision, and for the consent. So a key pressed by mistake decides nothing. */
export function DecisionDialog({ desk, doctor, decision, onClose }: Properties) {
  const { act, about, needsReason, next } = textsOf(doctor, decision);
  const { send, done, handles } = useDecision(desk, { doctor, decision });
  const form = useForm({
    labels: { reason: 'Reason' },
    initial: { reason: '' },
    // The other inputs are not the user's; `handles` takes the errors about them.
    send: ({ reason }) => send(reason.trim() || null) as Promise<Result<ReviewedDoctor, 'reason'>>,
    done,
    handles,
  });
  return (
    <Dialog
      title={`${act} ${about}${doctor.account.name}?`}
      onClose={onClose}
      beginAt={needsReason ? undefined : 'button[type=submit]'}
    >
      <p>{next}</p>
      <Form
        form={form}
        submitText={act}
        otherButtons={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      >
        <TextField
          field={form.field('reason')}
          hint="The doctor reads it. Up to 1,000 characters."
          isOptional={!needsReason}
          isLong
        />
      </Form>
    </Dialog>
  );
}
