import type { AuthError, Result, Review, ReviewDecision, ReviewedDoctor } from '@auth-gateway/client';
import { openDialog } from '../../dialog.ts';
import { button, element } from '../../element.ts';
import { textField } from '../../field.ts';
import { form } from '../../form.ts';
import { DECISIONS } from './decisions.ts';

interface DecisionDialog {
  doctor: ReviewedDoctor;
  decision: ReviewDecision;
  send(reason: string | null): Promise<Result<ReviewedDoctor, keyof Review>>;
  done(): void;
  /** Called with an error after which the dialog makes no sense any more. It returns false for all others. */
  handles(error: AuthError<string>): boolean;
}

/** Asks for the reason of a decision, and for the consent. So a key pressed by mistake decides nothing. */
export function askDecision({ doctor, decision, send, done, handles }: DecisionDialog): void {
  const { act, needsReason } = DECISIONS[decision];
  openDialog(`${act} ${doctor.account.name}?`, (dialog) => {
    const reason = textField('Reason', {
      hint: 'The doctor reads it. Up to 1,000 characters.',
      isOptional: !needsReason,
      isLong: true,
      // The dialog begins there; an approval begins at its button, which comes before the text.
      attributes: needsReason ? { autofocus: '' } : {},
    });
    const decide = form<'reason', ReviewedDoctor>({
      fields: { reason },
      content: [reason.element],
      submitText: act,
      otherButtons: [button('Cancel', {}, dialog.close)],
      send: () => send(reason.value.trim() || null),
      done: () => {
        dialog.close();
        done();
      },
      handles: (error) => {
        const isHandled = handles(error);
        if (isHandled) {
          dialog.close();
        }
        return isHandled;
      },
    });
    if (!needsReason) {
      decide.querySelector('button[type=submit]')?.setAttribute('autofocus', '');
    }
    return [element('p', {}, whatNext(decision)), decide];
  });
}

function whatNext(decision: ReviewDecision): string {
  switch (decision) {
    case 'APPROVE':
      return 'The doctor becomes verified, and gets a mail.';
    case 'REJECT':
      return 'The doctor gets a mail with the reason, and can send other documents.';
    case 'SUSPEND':
      return 'The doctor gets a mail with the reason. Only a reviewer can lift a suspension.';
  }
}
