import type { AuthError, Result, UploadOptions } from '@auth-gateway/client';
import { element } from './element.ts';
import type { Field } from './field.ts';
import { showProblem, showSummary } from './problems.ts';
import { uploadProgress } from './upload-progress.ts';

interface FormParts<Name extends string, Data> {
  /** The compiler sees to it that there is a field for everything that the gateway may find fault with. */
  fields: Record<Name, Field>;
  /** What the form shows, the fields among it. */
  content: Node[];
  submitText: string;
  /** Makes the call, with these options if it is an upload. */
  send(options: UploadOptions): Promise<Result<Data, Name>>;
  /** Is given what came of a call that went well. */
  done(data: Data): void;
}

/** A form that makes a call of the client, and shows where it belongs whatever the gateway finds wrong. */
export function form<Name extends string, Data>(parts: FormParts<Name, Data>): HTMLFormElement {
  const problems = element('div', { class: 'problems', role: 'alert' });
  const progress = uploadProgress();
  const submit = element('button', { type: 'submit', class: 'primary' }, parts.submitText);
  // No `required` and no other rules here: the browser would show texts of its own in bubbles of its own.
  const made = element('form', { novalidate: true }, problems, ...parts.content, progress.element, submit);
  let isSending = false;

  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isSending) {
      return;
    }
    isSending = true;
    // Not `disabled`, which would take the focus away.
    submit.setAttribute('aria-disabled', 'true');
    problems.replaceChildren();
    const result = await parts.send(progress.begin());
    progress.end();
    submit.removeAttribute('aria-disabled');
    isSending = false;
    if (result.ok) {
      parts.done(result.data);
    } else {
      showError(result.error, parts.fields, { problems, submit });
    }
  });
  return made;
}

/** Errors of fields go beside them, and the first of those fields gets the focus; anything else goes above the form. */
function showError<Name extends string>(
  error: AuthError<Name>,
  fields: Record<Name, Field>,
  { problems, submit }: { problems: HTMLElement; submit: HTMLElement },
): void {
  if (!('fields' in error)) {
    showProblem(problems, error);
    submit.focus();
    return;
  }
  const named = Object.entries<Field>(fields).map(([name, field]) => ({
    field,
    texts: error.fields[name as Name] ?? [],
  }));
  for (const { field, texts } of named) {
    field.showErrors(texts);
  }
  const wrong = named.filter(({ texts }) => texts.length > 0);
  if (wrong.length === 0) {
    showProblem(problems, error);
  } else {
    showSummary(problems, wrong);
  }
  wrong[0]?.field.control.focus();
}
