import type { ReviewedDoctor, VerificationStatus } from '@auth-gateway/client';
import { button, element } from '../../element.ts';
import { newId } from '../../field.ts';
import { time } from '../../times.ts';
import { STATUS_NAMES } from './decisions.ts';
import type { ReviewQueue } from './review-queue.ts';

/** The doctors of the queue. That who is shown is marked. */
export const queueItems = (
  { doctors, selected }: ReviewQueue,
  pick: (doctor: ReviewedDoctor) => void,
): HTMLElement[] =>
  doctors.map((doctor) => {
    const current = doctor === selected ? { 'aria-current': 'true' } : {};
    const item = button('', { class: 'queue-item', ...current }, () => pick(doctor));
    const { account, profile, submittedAt, newDocuments } = doctor;
    item.append(
      element('span', { class: 'queue-name' }, account.name),
      element('span', { class: 'hint' }, profile.specialization),
      element('span', { class: 'hint' }, newDocuments ? 'Sent again ' : 'Sent ', time(submittedAt)),
    );
    return element('li', {}, item);
  });

/** Chooses the status whose doctors are listed. */
export function statusFilter(choose: (status: VerificationStatus) => void): HTMLElement {
  const id = newId();
  const options = Object.entries(STATUS_NAMES).map(([value, name]) => element('option', { value }, name));
  const select = element('select', { id }, ...options);
  select.addEventListener('change', () => choose(select.value as VerificationStatus));
  return element('div', { class: 'filter' }, element('label', { for: id }, 'Status'), select);
}

/** What to show instead of a doctor. */
export const nobody = ({ status }: ReviewQueue): HTMLElement[] => [
  element('h2', { tabindex: '-1' }, 'Nobody is here'),
  element(
    'p',
    {},
    status === 'PENDING'
      ? 'No doctor waits for a review.'
      : `No doctor is ${STATUS_NAMES[status].toLowerCase()}.`,
  ),
];
