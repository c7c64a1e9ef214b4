import type { ReviewDecision, VerificationStatus } from '@auth-gateway/client';
import { DECISIONS, decisionsFrom } from './decisions.ts';

interface Properties {
  status: VerificationStatus;
  ask(decision: ReviewDecision): void;
}

/** A button for each decision that is possible. */
export const DecisionButtons = ({ status, ask }: Properties) => (
  <div className="buttons decisions">
    {decisionsFrom(status).map((decision) => (
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
