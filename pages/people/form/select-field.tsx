import { controlProps, FieldFrame } from './field-frame.tsx';
import type { FieldProps } from './use-form.ts';

interface Properties {
  field: FieldProps<string>;
  /** The names of the values, in their order. */
  options: Record<string, string>;
}

/** A choice of one of a few values. */
export const SelectField = ({ field, options }: Properties) => (
  <FieldFrame field={field}>
    <select
      {...controlProps(field)}
      value={field.value}
      onChange={({ target }) => field.onChange(target.value)}
    >
      {Object.entries(options).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </FieldFrame>
);
