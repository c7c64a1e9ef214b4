import type { DoctorProfile, VerificationStatus } from '@auth-gateway/client';
import { element } from '../../element.ts';
import { valuesOf } from '../../field.ts';
import { form } from '../../form.ts';
import { announce } from '../../navigation.ts';
import { client } from '../../session.ts';
import { endedSession } from '../../session-problems.ts';
import { time } from '../../times.ts';
import { documentFields, fieldSet } from '../field-sets.ts';

type Verification = DoctorProfile['verification'];

const TEXTS: Record<VerificationStatus, { title: string; text: string }> = {
  PENDING: {
    title: 'Waiting for review',
    text: 'You need not do anything until somebody has reviewed your documents',
  },
  VERIFIED: { title: 'You are verified', text: 'Your documents were approved' },
  REJECTED: { title: 'Your documents were rejected', text: 'They were reviewed' },
  SUSPENDED: { title: 'You are suspended', text: 'Your verification was suspended' },
};

/** What reviewers have decided about a doctor. After a rejection, the documents can be sent again. */
export function verificationSection(verification: Verification): HTMLElement {
  const section = element('section', {});
  const show = (current: Verification) => {
    section.className = `banner ${current.status.toLowerCase()}`;
    section.replaceChildren(...contentOf(current));
    if (current.status === 'REJECTED') {
      section.append(resubmission(arrived));
    }
  };
  const arrived = (current: Verification) => {
    show(current);
    section.querySelector('h2')?.focus();
    announce('Your new documents have arrived.');
  };
  show(verification);
  return section;
}

function contentOf({ status, decidedAt, reason }: Verification): HTMLElement[] {
  const { title, text } = TEXTS[status];
  const isDecided = status !== 'PENDING' && decidedAt !== null;
  const told = element('p', {}, text, ...(isDecided ? [' on ', time(decidedAt)] : []), '.');
  const quoted = status !== 'PENDING' && reason !== null ? [element('blockquote', {}, reason)] : [];
  return [element('h2', { tabindex: '-1' }, title), told, ...quoted];
}

function resubmission(arrived: (verification: Verification) => void): HTMLElement {
  const fields = documentFields();
  return form({
    fields,
    content: [fieldSet('Your documents', fields)],
    submitText: 'Send the documents again',
    send: (options) => client.resubmitDocuments(valuesOf(fields), options),
    done: ({ verification }) => arrived(verification),
    handles: endedSession,
  });
}
