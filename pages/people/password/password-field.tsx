import type { ReactNode } from 'react';
import { controlProps, FieldFrame } from '../form/field-frame.tsx';
import type { FieldProps } from '../form/use-form.ts';
import { useTexts } from '../language/language.ts';
import { EyeIcon } from '../ui/eye-icon.tsx';
import { useShownPassword } from './use-shown-password.ts';

interface Properties {
  field: FieldProps<string>;
  /** What a password manager offers here. */
  autoComplete: 'current-password' | 'new-password';
  hint?: string;
  /** Below the control. */
  children?: ReactNode;
}

/** A password, with a button that shows it. */
export function PasswordField({ field, autoComplete, hint, children }: Properties) {
  const { input, isShown, toggle } = useShownPassword();
  const { form } = useTexts();
  return (
    <FieldFrame field={field} hint={hint}>
      <div className="password">
        <input
          {...controlProps(field, hint)}
          ref={input}
          type={isShown ? 'text' : 'password'}
          autoComplete={autoComplete}
          autoCapitalize="off"
          spellCheck={false}
          value={field.value}
          onChange={({ target }) => field.onChange(target.value)}
        />
        <button
          type="button"
          className="reveal"
          aria-pressed={isShown}
          aria-controls={field.id}
          // A click would move the focus out of the field, and with it the caret.
          onMouseDown={(event) => event.preventDefault()}
          onClick={toggle}
        >
          <EyeIcon isOpen={isShown} />
          <span className="visually-hidden">{form.show(field.label)}</span>
        </button>
      </div>
      {children}
    </FieldFrame>
  );
}

/** A password that the account has. */
export const CurrentPasswordField = ({ field }: { field: FieldProps<string> }) => (
  <PasswordField field={field} autoComplete="current-password" />
);
