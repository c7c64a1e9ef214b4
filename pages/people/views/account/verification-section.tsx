import type { DoctorProfile } from '@auth-gateway/client';
import { useRef } from 'react';
import { lastDayText, timeText, useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { SectionHead } from '../../ui/section-head.tsx';
import { Resubmission } from './resubmission.tsx';

const ALL_DOCUMENTS = ['LICENSE', 'DIPLOMA', 'CERTIFICATION'] as const;

interface Properties {
  verification: DoctorProfile['verification'];
  /** Called when new documents have arrived. */
  changed(): void;
}

/** What reviewers have decided about a doctor. Documents can be sent again after a rejection, and before the verification ends. */
export function VerificationSection({ verification, changed }: Properties) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const arrived = () => {
    changed();
    // The form that had the focus goes.
    heading.current?.focus();
    announce(({ resubmission }) => resubmission.arrived);
  };

  const { status, decidedAt, reason, grounds, documents, until, isRenewable } = verification;
  const isDecided = status !== 'PENDING';
  return (
    <section className={`banner ${status.toLowerCase()}`}>
      <SectionHead title={texts.verification[status].title} headingRef={heading} />
      <p>{texts.verification[status].text(decidedAt ? timeText(decidedAt) : '–')}</p>
      {isDecided && grounds.length > 0 && (
        <ul>
          {grounds.map((ground) => (
            <li key={ground}>{texts.grounds[ground]}</li>
          ))}
        </ul>
      )}
      {isDecided && reason && <blockquote>{reason}</blockquote>}
      {until && status === 'VERIFIED' && <p>{texts.resubmission.until(lastDayText(until))}</p>}
      {isRenewable && <p>{texts.resubmission.renew}</p>}
      {(status === 'REJECTED' || isRenewable) && (
        <Resubmission asked={isRenewable ? ALL_DOCUMENTS : documents} arrived={arrived} />
      )}
    </section>
  );
}
