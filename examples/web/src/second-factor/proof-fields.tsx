import { useEffect, useRef, useState } from 'react';
import { TextField } from '../form/text-field.tsx';
import type { FieldProps } from '../form/use-form.ts';

/** What a form that asks for a second factor has beside its other fields. The gateway takes an empty text as none. */
export const PROOF = { code: '', recoveryCode: '' };
export const PROOF_LABELS = { code: 'Code of your authenticator app', recoveryCode: 'Recovery code' };

interface Properties {
  code: FieldProps<string>;
  recoveryCode: FieldProps<string>;
}

/** A code of the app, or for somebody who has lost it, a recovery code in its place. */
export function ProofFields({ code, recoveryCode }: Properties) {
  const [hasLostApp, setLostApp] = useState(false);
  const isSwapped = useRef(false);
  const shownId = hasLostApp ? recoveryCode.id : code.id;
  const swap = () => {
    isSwapped.current = true;
    setLostApp(!hasLostApp);
    code.onChange('');
    recoveryCode.onChange('');
  };
  useEffect(() => {
    if (isSwapped.current) {
      document.getElementById(shownId)?.focus();
    }
  }, [shownId]);
  return (
    <>
      {hasLostApp ? (
        <TextField
          field={recoveryCode}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          hint="24 letters and digits. Each works once."
        />
      ) : (
        <CodeField field={code} />
      )}
      <p className="aside">
        <button type="button" className="link" onClick={swap}>
          {hasLostApp ? 'Use the authenticator app' : 'Lost your phone? Use a recovery code'}
        </button>
      </p>
    </>
  );
}

/** A code of an authenticator app. Telephones offer to fill it in; it may be pasted, with blanks in it. */
export const CodeField = ({ field }: { field: FieldProps<string> }) => (
  <TextField
    field={field}
    inputMode="numeric"
    autoComplete="one-time-code"
    spellCheck={false}
    hint="Six digits, which change every 30 seconds."
  />
);
