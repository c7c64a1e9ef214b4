import type { ReviewDecision, ReviewedDoctor } from '@auth-gateway/client';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../../navigation/notice.ts';
import { type DoctorList, decisionsOn, LIST_NAMES } from './decisions.ts';
import { neighbour, useReviewQueue } from './use-review-queue.ts';

/** A decision that the reviewer is asked about. */
export interface Question {
  doctor: ReviewedDoctor;
  decision: ReviewDecision;
}

/** What the review desk shows and does. */
export function useReviewDesk() {
  const reviewQueue = useReviewQueue();
  const { queue, read, select } = reviewQueue;
  const [dialog, setDialog] = useState<'help' | Question | null>(null);
  const { details, goToSelected } = useDetailsFocus();
  useEffect(() => {
    void read('PENDING');
  }, [read]);

  const pick = (doctor: ReviewedDoctor) => {
    select(doctor);
    goToSelected();
  };

  return {
    ...reviewQueue,
    details,
    goToSelected,
    dialog,
    setDialog,
    pick,
    choose: (list: DoctorList) => read(list, queue.selected?.account.id),
    step(by: 1 | -1) {
      const next = neighbour(queue, by);
      if (next) {
        pick(next);
      }
    },
    ask(decision: ReviewDecision) {
      const doctor = queue.selected;
      if (doctor && decisionsOn(doctor).includes(decision)) {
        setDialog({ doctor, decision });
      }
    },
    /** Reads the queue again after somebody else was faster, and says what has happened. */
    async readAgain({ account: { id, name } }: ReviewedDoctor) {
      const present = await read(queue.list, id);
      if (present) {
        const list = LIST_NAMES[present.list].toLowerCase();
        goToSelected(
          present.selected?.account.id === id
            ? `${name} has changed since you opened it, so nothing was decided. This is the present state.`
            : `${name} is no longer ${list}: somebody else was faster, or the account was closed. Nothing was decided by you.`,
        );
      }
    },
  };
}

export type ReviewDesk = ReturnType<typeof useReviewDesk>;

/** Moves the focus to the doctor who is shown next: what had the focus may be gone. */
function useDetailsFocus() {
  const details = useRef<HTMLElement>(null);
  const [visits, setVisits] = useState(0);
  useEffect(() => {
    if (visits > 0) {
      details.current?.querySelector('h2')?.focus();
    }
  }, [visits]);
  const goToSelected = (notice = '') => {
    setVisits((count) => count + 1);
    announce(notice);
  };
  return { details, goToSelected };
}
