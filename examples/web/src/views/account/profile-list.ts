import type { OwnAccount, Role } from '@auth-gateway/client';
import { element } from '../../element.ts';
import { eachOptionalText } from '../../profile-texts.ts';

const ROLES: Record<Role, string> = { DOCTOR: 'Doctor', PATIENT: 'Patient', REVIEWER: 'Reviewer' };

/** The data of the account, and for a doctor the profile with its documents. */
export function profileList({ email, phone, dateOfBirth, role, profile }: OwnAccount): HTMLElement {
  const entries: [string, string | Node | null][] = [
    ['Role', ROLES[role]],
    ['E-mail', email],
    ['Telephone', phone],
    ['Date of birth', dateOfBirth],
  ];
  if (profile) {
    entries.push(
      ['Specialization', profile.specialization],
      ['License number', profile.licenseNumber],
      ['Documents', documentLinks(profile)],
      ...Object.values(
        eachOptionalText((name, { label }): [string, string | null] => [label, profile[name]]),
      ),
    );
  }
  const told = entries.flatMap(([name, value]) =>
    value === null ? [] : [element('div', {}, element('dt', {}, name), element('dd', {}, value))],
  );
  return element('dl', { class: 'profile' }, ...told);
}

function documentLinks(profile: NonNullable<OwnAccount['profile']>): HTMLElement {
  const documents = [
    ['License', profile.licenseFileUrl],
    ['Diploma', profile.diplomaFileUrl],
    ['Certification', profile.certificationUrl],
  ] as const;
  const links = documents.flatMap(([name, href]) =>
    // The address is a capability: everyone who knows it can read the document.
    href
      ? [element('li', {}, element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, name))]
      : [],
  );
  return element('ul', { class: 'links' }, ...links);
}
