import type { ReactNode } from 'react';

/** Fields below a title. */
export function Fieldset({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <div className="fields">{children}</div>
    </fieldset>
  );
}
