import type { FieldProps } from '../form/use-form.ts';
import { useTexts } from '../language/language.ts';
import { settings } from '../settings.ts';
import { adviceOn, type Person } from './password-advice.ts';
import { PasswordField } from './password-field.tsx';
import { useCommonPasswords } from './use-common-passwords.ts';

interface Properties {
  field: FieldProps<string>;
  /** Whose password it will be, as far as that is known. */
  person?: Person;
}

/** A password that is chosen now, with advice while it is typed. The advice refuses nothing: the gateway decides. */
export function NewPasswordField({ field, person = { name: '', email: '' } }: Properties) {
  const common = useCommonPasswords(field.value !== '');
  const texts = useTexts();
  const { passwordMinCharacters } = settings;
  const advice = adviceOn(field.value, person, common, passwordMinCharacters);
  return (
    <PasswordField
      field={field}
      autoComplete="new-password"
      hint={texts.hints.password(passwordMinCharacters)}
    >
      <div className="strength" data-level={advice?.level}>
        <div className="strength-bar" aria-hidden="true" />
        <p aria-live="polite">{advice && texts.advice[advice.name](advice.limit ?? 0)}</p>
      </div>
    </PasswordField>
  );
}
