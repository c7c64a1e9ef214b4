import type { ReviewDecision, ReviewedDoctor, VerificationStatus } from '@auth-gateway/client';
import { Definitions } from '../../ui/definitions.tsx';
import { OPTIONAL_TEXTS } from '../../ui/profile-texts.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Time } from '../../ui/time.tsx';
import { DecisionButtons } from './decision-buttons.tsx';
import { STATUS_NAMES } from './decisions.ts';
import { DoctorDocuments } from './doctor-documents.tsx';

interface Properties {
  doctor: ReviewedDoctor;
  ask(decision: ReviewDecision): void;
}

/** One doctor, with the documents side by side and buttons for the decisions. */
export function DoctorDetails({ doctor, ask }: Properties) {
  const { account, profile } = doctor;
  const { status } = profile.verification;
  return (
    <>
      <SectionHead title={account.name}>
        <span className={`badge ${status.toLowerCase()}`}>{STATUS_NAMES[status]}</span>
      </SectionHead>
      <DecisionButtons status={status} ask={ask} />
      <Facts doctor={doctor} />
      <DoctorDocuments doctor={doctor} />
    </>
  );
}

function Facts({ doctor: { account, profile, submittedAt } }: { doctor: ReviewedDoctor }) {
  const { decidedAt, reason } = profile.verification;
  return (
    <Definitions
      entries={[
        ['Specialization', profile.specialization],
        ['License number', profile.licenseNumber],
        ['E-mail', account.email],
        ['Telephone', account.phone],
        ['Documents sent', <Time key="sent" iso={submittedAt} />],
        ['Last decision', decidedAt && <Time key="decided" iso={decidedAt} />],
        ['Reason', reason],
        ...OPTIONAL_TEXTS.map(({ name, label }) => [label, profile[name]] as const),
      ]}
    />
  );
}

/** What to show instead of a doctor. */
export const Nobody = ({ status }: { status: VerificationStatus }) => (
  <>
    <SectionHead title="Nobody is here" />
    <p>
      {status === 'PENDING'
        ? 'No doctor waits for a review.'
        : `No doctor is ${STATUS_NAMES[status].toLowerCase()}.`}
    </p>
  </>
);
