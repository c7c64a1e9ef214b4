import type { AuthError } from '@auth-gateway/client';
import { textsOf } from './decisions.ts';
import type { Question, ReviewDesk } from './use-review-desk.ts';

/** Makes a decision, and brings the desk up to date after it. */
export function useDecision(desk: ReviewDesk, { doctor, decision }: Question) {
  return {
    send: (reason: string | null) => desk.decide(doctor, { decision, reason }),
    done() {
      desk.setDialog(null);
      desk.goToSelected(`${doctor.account.name} is ${textsOf(doctor, decision).done}.`);
    },
    /** After some errors the question makes no sense any more. */
    handles(error: AuthError<string>): boolean {
      if (isOutdated(error)) {
        desk.setDialog(null);
        void desk.readAgain(doctor);
        return true;
      }
      if (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN') {
        desk.setDialog(null);
        desk.setError(error);
        return true;
      }
      return false;
    },
  };
}

/** Whether the doctor is not any more as the page shows it: decided on, changed or gone. */
const isOutdated = (error: AuthError<string>): boolean =>
  error.code === 'NOT_FOUND' ||
  ('fields' in error && Boolean(error.fields.revision ?? error.fields.decision));
