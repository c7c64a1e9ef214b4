import { TextField } from '../../form/text-field.tsx';
import type { FieldProps } from '../../form/use-form.ts';
import { NewPasswordField } from '../../password/new-password-field.tsx';
import type { NO_ACCOUNT } from '../account-fields.ts';

/** What the fields begin with; an empty `invitation` is none. */
export type AccountValues = typeof NO_ACCOUNT & { invitation: string };

/** A form that has at least the fields of an account. */
interface AccountForm {
  values: AccountValues;
  field(name: keyof AccountValues): FieldProps<string>;
}

/** What doctors and patients have in common. */
export const AccountFields = ({ form }: { form: AccountForm }) => (
  <>
    <TextField field={form.field('name')} autoComplete="name" />
    <TextField
      field={form.field('email')}
      type="email"
      autoComplete="email"
      hidden={form.values.invitation !== ''}
    />
    <NewPasswordField field={form.field('password')} person={form.values} />
  </>
);

interface PhoneProperties {
  field: FieldProps<string>;
  isOptional?: boolean;
}

export const PhoneField = ({ field, isOptional = false }: PhoneProperties) => (
  <TextField field={field} type="tel" autoComplete="tel" isOptional={isOptional} />
);
