import type { ReviewDecision, ReviewedDoctor } from '@auth-gateway/client';
import { Definitions } from '../../ui/definitions.tsx';
import { OPTIONAL_TEXTS } from '../../ui/profile-texts.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Time } from '../../ui/time.tsx';
import { ProposalTable } from '../proposal-table.tsx';
import { DecisionButtons } from './decision-buttons.tsx';
import { type DoctorList, LIST_NAMES, STATUS_NAMES } from './decisions.ts';
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
      <DecisionButtons doctor={doctor} ask={ask} />
      {profile.proposal && <ProposalTable name={account.name} profile={profile} />}
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
export const Nobody = ({ list }: { list: DoctorList }) => (
  <>
    <SectionHead title="Nobody is here" />
    <p>
      {list === 'PENDING'
        ? 'No doctor waits for a review.'
        : `No doctor is ${LIST_NAMES[list].toLowerCase()}.`}
    </p>
  </>
);
