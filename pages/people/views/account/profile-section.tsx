import type { DoctorProfile, OwnAccount } from '@auth-gateway/client';
import type { ReactNode } from 'react';
import { dayText, type Texts, useTexts } from '../../language/language.ts';
import { Definitions } from '../../ui/definitions.tsx';
import { OPTIONAL_TEXTS } from '../../ui/profile-texts.ts';
import { SectionHead } from '../../ui/section-head.tsx';

/** The data of the account, and for a doctor the profile with its documents. */
export function ProfileSection({ account, children }: { account: OwnAccount; children: ReactNode }) {
  const { name, email, phone, dateOfBirth, role, profile } = account;
  const texts = useTexts();
  const { fields, roles } = texts;
  return (
    <section>
      <SectionHead title={name}>{children}</SectionHead>
      <Definitions
        entries={[
          [texts.role, roles[role]],
          [fields.email, email],
          [fields.phone, phone],
          [fields.dateOfBirth, dateOfBirth && dayText(dateOfBirth)],
          ...(profile ? profileEntries(profile, texts) : []),
        ]}
      />
    </section>
  );
}

const profileEntries = (profile: DoctorProfile, { documents, fields }: Texts): [string, ReactNode][] => [
  [fields.specialization, profile.specialization],
  [fields.licenseNumber, profile.licenseNumber],
  [documents, <DocumentLinks key="documents" profile={profile} />],
  ...OPTIONAL_TEXTS.map(({ name }): [string, ReactNode] => [fields[name], profile[name]]),
];

function DocumentLinks({ profile }: { profile: DoctorProfile }) {
  const { fields } = useTexts();
  const documents = [
    [fields.licenseFile, profile.licenseFileUrl],
    [fields.diplomaFile, profile.diplomaFileUrl],
    [fields.certificationFile, profile.certificationUrl],
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
