import type { AuthError, Result, UploadOptions } from '@auth-gateway/client';
import { element } from './element.ts';
import type { Field } from './field.ts';
import { showProblem, showSummary } from './problems.ts';
import { uploadProgress } from './upload-progress.ts';

interface FormParts<Name extends string, Data> {
  /** The compiler checks that there is a field for every input that the gateway may refuse. */
  fields: Record<Name, Field>;
  /** The content of the form, including the fields. */
  content: Node[];
  submitText: string;
  /** Buttons beside that to submit. */
  otherButtons?: HTMLElement[];
  /** Makes the call, with these options if it is an upload. An error about the whole `input` has no field. */
  send(options: UploadOptions): Promise<Result<Data, Name | 'input'>>;
  /** Called with the data of a successful call. */
  done(data: Data): void;
  /** Called with each error. If it returns true, the form does not show the error. */
  handles?(error: AuthError<string>): boolean;
}

/** A form that makes a call of the client, and shows each error of the gateway beside its field. */
export function form<Name extends string, Data>(parts: FormParts<Name, Data>): HTMLFormElement {
  const problems = element('div', { class: 'problems', role: 'alert' });
  const progress = uploadProgress();
  const submit = element('button', { type: 'submit', class: 'primary' }, parts.submitText);
  // No `required` and no other rules here: the browser would show its own texts.
  const buttons = element('div', { class: 'buttons' }, submit, ...(parts.otherButtons ?? []));
  const made = element('form', { novalidate: true }, problems, ...parts.content, progress.element, buttons);
  let isSending = false;

  made.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isSending) {
      return;
    }
    isSending = true;
    // Not `disabled`, because the button would lose the focus.
    submit.setAttribute('aria-disabled', 'true');
    problems.replaceChildren();
    const result = await parts.send(progress.begin());
    progress.end();
    submit.removeAttribute('aria-disabled');
    isSending = false;
    if (result.ok) {
      parts.done(result.data);
    } else if (!parts.handles?.(result.error)) {
      showError(result.error, parts.fields, { problems, submit });
    }
  });
  return made;
}

/** Shows errors beside their fields, and focuses the first of them. All other errors are shown above the form. */
function showError<Name extends string>(
  error: AuthError<Name | 'input'>,
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
