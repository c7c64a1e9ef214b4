import type { DoctorProfile } from '@auth-gateway/client';
import { useRef } from 'react';
import { timeText, useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Resubmission } from './resubmission.tsx';

interface Properties {
  verification: DoctorProfile['verification'];
  /** Called when new documents have arrived. */
  changed(): void;
}

/** What reviewers have decided about a doctor. After a rejection, the documents can be sent again. */
export function VerificationSection({ verification, changed }: Properties) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const arrived = () => {
    changed();
    // The form that had the focus goes.
    heading.current?.focus();
    announce(({ resubmission }) => resubmission.arrived);
  };

  const { status, decidedAt, reason, documents } = verification;
  const isDecided = status !== 'PENDING';
  return (
    <section className={`banner ${status.toLowerCase()}`}>
      <SectionHead title={texts.verification[status].title} headingRef={heading} />
      <p>{texts.verification[status].text(decidedAt ? timeText(decidedAt) : '–')}</p>
      {isDecided && reason && <blockquote>{reason}</blockquote>}
      {status === 'REJECTED' && <Resubmission asked={documents} arrived={arrived} />}
    </section>
  );
}
