import type { InputHTMLAttributes } from 'react';
import { controlProps, FieldFrame } from './field-frame.tsx';
import type { FieldProps } from './use-form.ts';

/** Attributes of the control: `type`, `autoComplete`, … */
type Attributes = Omit<
  InputHTMLAttributes<HTMLInputElement & HTMLTextAreaElement>,
  'id' | 'value' | 'onChange'
>;

interface Properties extends Attributes {
  field: FieldProps<string>;
  hint?: string;
  isOptional?: boolean;
  isLong?: boolean;
}

/** A text field. */
export function TextField({ field, hint, isOptional, isLong, hidden, ...attributes }: Properties) {
  const control = {
    ...controlProps(field, hint),
    ...attributes,
    value: field.value,
    onChange: ({ target }: { target: { value: string } }) => field.onChange(target.value),
  };
  const frame = { field, hint, isOptional, hidden };
  return (
    <FieldFrame {...frame} className={isLong ? 'wide' : ''}>
      {isLong ? <textarea rows={3} {...control} /> : <input type="text" {...control} />}
    </FieldFrame>
  );
}
