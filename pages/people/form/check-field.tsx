import { controlProps, FieldNotes } from './field-frame.tsx';
import type { FieldProps } from './use-form.ts';

/** A box to tick. */
export function CheckField({ field, hint }: { field: FieldProps<boolean>; hint?: string }) {
  return (
    <div className="field">
      <div className="check">
        <input
          {...controlProps(field, hint)}
          type="checkbox"
          checked={field.value}
          onChange={({ target }) => field.onChange(target.checked)}
        />
        <label htmlFor={field.id}>{field.label}</label>
      </div>
      <FieldNotes field={field} hint={hint} />
    </div>
  );
}
