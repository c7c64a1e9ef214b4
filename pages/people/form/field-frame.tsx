import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import type { FieldProps } from './use-form.ts';

type Described = Pick<FieldProps<unknown>, 'id' | 'errors'>;

/** The properties of a control: screen readers read its hint and its errors with it. */
export const controlProps = ({ id, errors }: Described, hint?: string) => ({
  id,
  'aria-describedby': hint ? `${id}-hint ${id}-errors` : `${id}-errors`,
  'aria-invalid': errors.length > 0,
});

interface Properties {
  field: Pick<FieldProps<unknown>, 'id' | 'label' | 'errors'>;
  hint?: string | undefined;
  isOptional?: boolean | undefined;
  className?: string;
  hidden?: boolean | undefined;
  /** The control. */
  children: ReactNode;
}

/** A field of a form: the label, the control, a hint and the gateway's errors. */
export function FieldFrame({ field, hint, isOptional, className = '', hidden, children }: Properties) {
  const { optional } = useTexts();
  return (
    <div className={`field ${className}`} hidden={hidden}>
      <label htmlFor={field.id}>
        {field.label}
        {isOptional && <span className="optional"> {optional}</span>}
      </label>
      {children}
      <FieldNotes field={field} hint={hint} />
    </div>
  );
}

/** What is below a control. */
export function FieldNotes({ field: { id, errors }, hint }: { field: Described; hint?: string | undefined }) {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      <p id={`${id}-errors`} className="errors">
        {errors.join(' ')}
      </p>
    </>
  );
}
