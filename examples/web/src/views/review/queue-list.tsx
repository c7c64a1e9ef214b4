import type { ReviewedDoctor } from '@auth-gateway/client';
import { useId } from 'react';
import { Time } from '../../ui/time.tsx';
import { type DoctorList, LIST_NAMES } from './decisions.ts';
import type { Queue } from './use-review-queue.ts';

interface ListProperties {
  queue: Queue;
  pick(doctor: ReviewedDoctor): void;
}

/** The doctors of the queue. That who is shown is marked. */
export const QueueList = ({ queue: { doctors, selected }, pick }: ListProperties) => (
  <ol className="queue">
    {doctors.map((doctor) => (
      <li key={doctor.account.id}>
        <button
          type="button"
          className="queue-item"
          aria-current={doctor === selected ? 'true' : undefined}
          onClick={() => pick(doctor)}
        >
          <span className="queue-name">{doctor.account.name}</span>
          <span className="hint">{doctor.profile.specialization}</span>
          <span className="hint">
            {sentText(doctor)} <Time iso={doctor.profile.proposal?.submittedAt ?? doctor.submittedAt} />
          </span>
        </button>
      </li>
    ))}
  </ol>
);

function sentText({ profile, newDocuments }: ReviewedDoctor): string {
  if (profile.proposal) {
    return 'Corrected';
  }
  return newDocuments ? 'Sent again' : 'Sent';
}

interface FilterProperties {
  list: DoctorList;
  choose(list: DoctorList): void;
}

/** Chooses which doctors are listed. */
export function StatusFilter({ list, choose }: FilterProperties) {
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>Status</label>
      <select id={id} defaultValue={list} onChange={({ target }) => choose(target.value as DoctorList)}>
        {Object.entries(LIST_NAMES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
