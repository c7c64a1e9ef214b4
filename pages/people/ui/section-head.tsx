import type { ReactNode, Ref } from 'react';

interface Properties {
  title: string;
  /** To move the focus there. */
  headingRef?: Ref<HTMLHeadingElement>;
  /** Beside the title. */
  children?: ReactNode;
}

/** The title of a section. */
export const SectionHead = ({ title, headingRef, children }: Properties) => (
  <div className="section-head">
    <h2 ref={headingRef} tabIndex={-1}>
      {title}
    </h2>
    {children}
  </div>
);
