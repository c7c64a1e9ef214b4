import type { DoctorProfile, OwnAccount, Role } from '@auth-gateway/client';
import type { ReactNode } from 'react';
import { Definitions } from '../../ui/definitions.tsx';
import { OPTIONAL_TEXTS } from '../../ui/profile-texts.ts';
import { SectionHead } from '../../ui/section-head.tsx';

const ROLES: Record<Role, string> = { DOCTOR: 'Doctor', PATIENT: 'Patient', REVIEWER: 'Reviewer' };

/** The data of the account, and for a doctor the profile with its documents. */
export function ProfileSection({ account, children }: { account: OwnAccount; children: ReactNode }) {
  const { name, email, phone, dateOfBirth, role, profile } = account;
  return (
    <section>
      <SectionHead title={name}>{children}</SectionHead>
      <Definitions
        entries={[
          ['Role', ROLES[role]],
          ['E-mail', email],
          ['Telephone', phone],
          ['Date of birth', dateOfBirth],
          ...(profile ? profileEntries(profile) : []),
        ]}
      />
    </section>
  );
}

const profileEntries = (profile: DoctorProfile): [string, ReactNode][] => [
  ['Specialization', profile.specialization],
  ['License number', profile.licenseNumber],
  ['Documents', <DocumentLinks key="documents" profile={profile} />],
  ...OPTIONAL_TEXTS.map(({ name, label }): [string, ReactNode] => [label, profile[name]]),
];

function DocumentLinks({ profile }: { profile: DoctorProfile }) {
  const documents = [
    ['License', profile.licenseFileUrl],
    ['Diploma', profile.diplomaFileUrl],
    ['Certification', profile.certificationUrl],
  ] as const;
  return (
    <ul className="links">
      {documents.map(
        ([name, href]) =>
          href && (
            <li key={name}>
              {/* The address is a capability: everyone who knows it can read the document. */}
              <a href={href} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
            </li>
          ),
      )}
    </ul>
  );
}
