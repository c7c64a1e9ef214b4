import type { AuthError, Result, Review, ReviewedDoctor, ReviewQuery } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { useCallback, useRef, useState } from 'react';
import type { DoctorList } from './decisions.ts';

type Decision = Pick<Review, 'decision' | 'reason'>;

/** The doctors of one list as far as they are read, and which of them is shown. */
export interface Queue {
  list: DoctorList;
  doctors: readonly ReviewedDoctor[];
  /** The doctor who is shown; undefined only if there is none. */
  selected: ReviewedDoctor | undefined;
  /** The cursor after which there are more doctors; null if all are read. */
  after: string | null;
}

const UNREAD: Queue = { list: 'PENDING', doctors: [], selected: undefined, after: null };

/** The queue of the review desk. */
export function useReviewQueue() {
  const { reviews } = useAuth();
  const [queue, setQueue] = useState(UNREAD);
  const [isRead, setRead] = useState(false);
  const [error, setError] = useState<AuthError<string> | null>(null);
  const reads = useRef(0);

  /** Reads a page. @returns the queue with it; undefined if it could not be read, or a later page was faster */
  const readPage = useCallback(
    async (query: ReviewQuery, add: (page: ReviewedDoctor[]) => Omit<Queue, 'after'>) => {
      reads.current += 1;
      const read = reads.current;
      const page = await reviews.list(query);
      // An answer that a later read has overtaken would show the doctors of another list.
      if (read !== reads.current) {
        return undefined;
      }
      if (!page.ok) {
        setError(page.error);
        return undefined;
      }
      const { edges, pageInfo } = page.data;
      const after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      const next: Queue = { ...add(edges.map(({ node }) => node)), after };
      setQueue(next);
      setRead(true);
      setError(null);
      return next;
    },
    [reviews],
  );

  /** Reads the first page of a list. The doctor who is shown stays, if there. */
  const read = useCallback(
    (list: DoctorList, shownId?: string) =>
      readPage(queryOf(list), (doctors) => {
        const shown = doctors.find(({ account }) => account.id === shownId);
        return { list, doctors, selected: shown ?? doctors[0] };
      }),
    [readPage],
  );

  const readMore = () =>
    readPage({ ...queryOf(queue.list), after: queue.after }, (page) => ({
      list: queue.list,
      doctors: [...queue.doctors, ...page],
      selected: queue.selected ?? page[0],
    }));

  const select = (selected: ReviewedDoctor) => setQueue({ ...queue, selected });

  /** Decides on a doctor, who then leaves the queue, and selects the next one. */
  const decide = async (
    doctor: ReviewedDoctor,
    decision: Decision,
  ): Promise<Result<ReviewedDoctor, keyof Review>> => {
    const { account, revision } = doctor;
    const result = await reviews.decide({ id: account.id, revision, ...decision });
    if (result.ok) {
      setQueue((current) => without(doctor, current));
    }
    return result;
  };

  return { queue, isRead, error, setError, read, readMore, select, decide };
}

const queryOf = (list: DoctorList): ReviewQuery =>
  list === 'CORRECTIONS' ? { proposals: true } : { status: list };

function without(doctor: ReviewedDoctor, queue: Queue): Queue {
  const index = queue.doctors.indexOf(doctor);
  const doctors = queue.doctors.filter((other) => other !== doctor);
  return { ...queue, doctors, selected: doctors[index] ?? doctors.at(-1) };
}

/** The next doctor of the queue (1), or the one before (-1); undefined at its end. */
export const neighbour = ({ doctors, selected }: Queue, by: 1 | -1): ReviewedDoctor | undefined =>
  selected && doctors[doctors.indexOf(selected) + by];
