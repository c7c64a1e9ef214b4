import type { ReviewDecision, ReviewedDoctor } from '@auth-gateway/client';
import { button, element } from '../../element.ts';
import { eachOptionalText } from '../../profile-texts.ts';
import { time } from '../../times.ts';
import { DECISIONS, decisionsFrom, STATUS_NAMES } from './decisions.ts';
import { documentView } from './document-views.ts';

/** One doctor, with the documents side by side and buttons for the decisions. */
export function doctorDetails(
  doctor: ReviewedDoctor,
  decide: (decision: ReviewDecision) => void,
): HTMLElement[] {
  const { status } = doctor.profile.verification;
  const buttons = decisionsFrom(status).map((decision) => {
    const { act, key } = DECISIONS[decision];
    const look = decision === 'APPROVE' ? 'primary' : '';
    return button(`${act}…`, { class: look, 'aria-keyshortcuts': key }, () => decide(decision));
  });
  const name = element('h2', { tabindex: '-1' }, doctor.account.name);
  const badge = element('span', { class: `badge ${status.toLowerCase()}` }, STATUS_NAMES[status]);
  return [
    element('div', { class: 'section-head' }, element('div', { class: 'named' }, name, badge)),
    element('div', { class: 'buttons decisions' }, ...buttons),
    facts(doctor),
    ...documentsOf(doctor),
  ];
}

function facts({ account, profile, submittedAt }: ReviewedDoctor): HTMLElement {
  const { decidedAt, reason } = profile.verification;
  const entries: [string, string | Node | null][] = [
    ['Specialization', profile.specialization],
    ['License number', profile.licenseNumber],
    ['E-mail', account.email],
    ['Telephone', account.phone],
    ['Documents sent', time(submittedAt)],
    ['Last decision', decidedAt && time(decidedAt)],
    ['Reason', reason],
    ...Object.values(eachOptionalText((name, { label }): [string, string | null] => [label, profile[name]])),
  ];
  const told = entries.flatMap(([name, value]) =>
    value === null ? [] : [element('div', {}, element('dt', {}, name), element('dd', {}, value))],
  );
  return element('dl', { class: 'profile' }, ...told);
}

/** The documents to decide on. After a resubmission, the former ones follow for comparison. */
function documentsOf({ profile, newDocuments }: ReviewedDoctor): HTMLElement[] {
  if (newDocuments === null) {
    return [documentRow('Documents', profile)];
  }
  return [documentRow('New documents', newDocuments), documentRow('Rejected documents', profile)];
}

type Documents = Pick<ReviewedDoctor['profile'], 'licenseFileUrl' | 'diplomaFileUrl' | 'certificationUrl'>;

function documentRow(title: string, documents: Documents): HTMLElement {
  const views = [
    documentView('License', documents.licenseFileUrl),
    documentView('Diploma', documents.diplomaFileUrl),
    documentView('Certification', documents.certificationUrl),
  ];
  return element('div', { class: 'document-row' }, element('h3', {}, title), ...views);
}
