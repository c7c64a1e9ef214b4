import { useEffect, useRef, useState } from 'react';
import { TextField } from '../form/text-field.tsx';
import type { FieldProps, FormState } from '../form/use-form.ts';
import { type Texts, useTexts } from '../language/language.ts';
import { Store } from '../ui/store.ts';

/** What a form that asks for a second factor has beside its other fields. The gateway takes an empty text as none. */
export const PROOF = { code: '', recoveryCode: '' };
export const proofLabels = ({ fields: { code, recoveryCode } }: Texts) => ({ code, recoveryCode });

/** True if this page began its session with a recovery code: the app may be lost. */
export const recoveryCodeUse = new Store(false);

interface Properties {
  form: Pick<FormState<unknown>, 'forget'> & { field(name: keyof typeof PROOF): FieldProps<string> };
}

/** A code of the app, or for somebody who has lost it, a recovery code in its place. */
export function ProofFields({ form }: Properties) {
  const [code, recoveryCode] = [form.field('code'), form.field('recoveryCode')];
  const { factor, hints } = useTexts();
  const [hasLostApp, setLostApp] = useState(false);
  const isSwapped = useRef(false);
  const shownId = hasLostApp ? recoveryCode.id : code.id;
  const swap = () => {
    isSwapped.current = true;
    setLostApp(!hasLostApp);
    // They may be about the field that goes.
    form.forget();
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
          hint={hints.recoveryCode}
        />
      ) : (
        <CodeField field={code} />
      )}
      <p className="aside">
        <button type="button" className="link" onClick={swap}>
          {hasLostApp ? factor.useApp : factor.useRecoveryCode}
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
    hint={useTexts().hints.code}
  />
);
