import type { ReviewDecision, ReviewedDoctor } from '@auth-gateway/client';
import { DECISIONS, decisionsOn } from './decisions.ts';

interface Properties {
  doctor: ReviewedDoctor;
  ask(decision: ReviewDecision): void;
}

/** A button for each decision that is possible. */
export const DecisionButtons = ({ doctor, ask }: Properties) => (
  <div className="buttons decisions">
    {decisionsOn(doctor).map((decision) => (
      <button
        key={decision}
        type="button"
        className={decision === 'APPROVE' ? 'primary' : ''}
        aria-keyshortcuts={DECISIONS[decision].key}
        onClick={() => ask(decision)}
      >
        {DECISIONS[decision].act}…
      </button>
    ))}
  </div>
);
