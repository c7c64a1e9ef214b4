import type { ReviewedDoctor, VerificationStatus } from '@auth-gateway/client';
import { useId } from 'react';
import { Time } from '../../ui/time.tsx';
import { STATUS_NAMES } from './decisions.ts';
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
            {doctor.newDocuments ? 'Sent again ' : 'Sent '}
            <Time iso={doctor.submittedAt} />
          </span>
        </button>
      </li>
    ))}
  </ol>
);

interface FilterProperties {
  status: VerificationStatus;
  choose(status: VerificationStatus): void;
}

/** Chooses the status whose doctors are listed. */
export function StatusFilter({ status, choose }: FilterProperties) {
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>Status</label>
      <select
        id={id}
        defaultValue={status}
        onChange={({ target }) => choose(target.value as VerificationStatus)}
      >
        {Object.entries(STATUS_NAMES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
