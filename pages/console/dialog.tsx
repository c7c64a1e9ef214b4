import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { ApiError } from './api.ts';
import { say } from './language.tsx';
import { asApiError } from './loading.tsx';

interface DialogProperties {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** A modal dialog. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProperties) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface FieldProperties {
  label: string;
  name: string;
  type?: string;
  hint?: string;
  autoComplete?: string;
  error: ApiError | undefined;
  isOptional?: boolean;
  /** True for a text of several lines. */
  isLong?: boolean;
}

/** A labelled field with its problems. */
export function Field({
  label,
  name,
  type = 'text',
  hint,
  autoComplete = 'off',
  error,
  isOptional = false,
  isLong = false,
}: FieldProperties) {
  const id = useId();
  const problems = error?.fields[name] ?? [];
  const about = [...(hint ? [`${id}-hint`] : []), ...(problems.length > 0 ? [`${id}-problem`] : [])];
  const control = {
    id,
    name,
    required: !isOptional,
    'aria-invalid': problems.length > 0 || undefined,
    'aria-describedby': about.join(' ') || undefined,
  };
  return (
    <p className="field">
      <label htmlFor={id}>{label}</label>
      {isLong ? (
        <textarea rows={4} {...control} />
      ) : (
        <input type={type} autoComplete={autoComplete} {...control} />
      )}
      {hint && (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
      {problems.length > 0 && (
        <span id={`${id}-problem`} className="bad" role="alert">
          {problems.map((text) => say(...text)).join(' ')}
        </span>
      )}
    </p>
  );
}

interface FormProperties {
  submit: string;
  /** Sends the values of the fields. What it throws is shown. */
  send(values: Record<string, string>): Promise<void>;
  children(error: ApiError | undefined): ReactNode;
  onCancel?(): void;
}

/** A form that is sent by script, and shows what was refused. */
export function Form({ submit, send, children, onCancel }: FormProperties) {
  const [error, setError] = useState<ApiError>();
  const [names, setNames] = useState<readonly string[]>([]);
  const [isSending, setIsSending] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    setIsSending(true);
    setNames(Object.keys(values));
    setError(undefined);
    await send(values).catch((thrown: unknown) => setError(asApiError(thrown)));
    setIsSending(false);
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      {children(error)}
      {error && !isBesideFields(error, names) && (
        <p className="problem" role="alert">
          {say(...error.text)}
        </p>
      )}
      <p className="buttons">
        <button type="submit" className="primary" disabled={isSending}>
          {isSending ? say('Sending…', 'Wird gesendet …') : submit}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {say('Cancel', 'Abbrechen')}
          </button>
        )}
      </p>
    </form>
  );
}

/** True if all that is wrong stands beside the fields that it is about. */
const isBesideFields = ({ fields }: ApiError, names: readonly string[]): boolean =>
  Object.keys(fields).length > 0 && Object.keys(fields).every((field) => names.includes(field));
