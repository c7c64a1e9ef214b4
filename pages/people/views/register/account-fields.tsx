import { TextField } from '../../form/text-field.tsx';
import type { FieldProps } from '../../form/use-form.ts';
import { NewPasswordField } from '../../password/new-password-field.tsx';
import type { NO_ACCOUNT } from '../account-fields.ts';

/** A form that has at least the fields of an account. */
interface AccountForm {
  values: typeof NO_ACCOUNT;
  field(name: keyof typeof NO_ACCOUNT): FieldProps<string>;
}

/** What doctors and patients have in common. */
export const AccountFields = ({ form }: { form: AccountForm }) => (
  <>
    <TextField field={form.field('name')} autoComplete="name" />
    <TextField field={form.field('email')} type="email" autoComplete="email" />
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
