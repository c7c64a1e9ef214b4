import type { DoctorProfile, VerificationStatus } from '@auth-gateway/client';
import { useRef } from 'react';
import { announce } from '../../navigation/notice.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Time } from '../../ui/time.tsx';
import { Resubmission } from './resubmission.tsx';

interface Properties {
  verification: DoctorProfile['verification'];
  /** Called when new documents have arrived. */
  changed(): void;
}

const TEXTS: Record<VerificationStatus, { title: string; text: string }> = {
  PENDING: {
    title: 'Waiting for review',
    text: 'You need not do anything until somebody has reviewed your documents',
  },
  VERIFIED: { title: 'You are verified', text: 'Your documents were approved' },
  REJECTED: { title: 'Your documents were rejected', text: 'They were reviewed' },
  SUSPENDED: { title: 'You are suspended', text: 'Your verification was suspended' },
};

/** What reviewers have decided about a doctor. After a rejection, the documents can be sent again. */
export function VerificationSection({ verification, changed }: Properties) {
  const heading = useRef<HTMLHeadingElement>(null);
  const arrived = () => {
    changed();
    // The form that had the focus goes.
    heading.current?.focus();
    announce('Your new documents have arrived.');
  };

  const { status, decidedAt, reason, documents } = verification;
  const isDecided = status !== 'PENDING';
  return (
    <section className={`banner ${status.toLowerCase()}`}>
      <SectionHead title={TEXTS[status].title} headingRef={heading} />
      <p>
        {TEXTS[status].text}
        {isDecided && decidedAt && (
          <>
            {' on '}
            <Time iso={decidedAt} />
          </>
        )}
        .
      </p>
      {isDecided && reason && <blockquote>{reason}</blockquote>}
      {status === 'REJECTED' && <Resubmission asked={documents} arrived={arrived} />}
    </section>
  );
}
