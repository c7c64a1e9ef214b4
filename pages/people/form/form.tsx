import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Problems } from './problems.tsx';
import { UploadProgress } from './upload-progress.tsx';
import type { FormState } from './use-form.ts';

interface Properties {
  form: Pick<FormState<unknown>, 'failure' | 'isSending' | 'upload' | 'submit'>;
  submitText: string;
  /** The fields. */
  children: ReactNode;
  /** Buttons beside that to submit. */
  otherButtons?: ReactNode;
}

/** A form with its errors, its fields, the progress of its upload, and its buttons. */
export function Form({ form, submitText, children, otherButtons }: Properties) {
  const { failure } = form;
  const error = failure?.error;
  const firstId = failure?.wrong[0]?.id;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (error) {
      (firstId === undefined ? button.current : document.getElementById(firstId))?.focus();
    }
  }, [error, firstId]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    form.submit();
  };

  // No `required` and no other rules here: the browser would show its own texts. Not `disabled` while it is sending, because
  // the button would lose the focus.
  return (
    <form noValidate onSubmit={submit}>
      <Problems failure={failure} />
      {children}
      <UploadProgress upload={form.upload} />
      <div className="buttons">
        <button
          ref={button}
          type="submit"
          className="primary"
          aria-busy={form.isSending}
          aria-disabled={form.isSending || undefined}
        >
          {submitText}
        </button>
        {otherButtons}
      </div>
    </form>
  );
}
