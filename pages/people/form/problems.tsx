import type { AuthError } from '@auth-gateway/client';
import { useTexts } from '../language/language.ts';
import { problemText } from './problem-text.ts';
import type { Failure } from './use-form.ts';

/** An error that belongs to no form. The element is always there: screen readers read what changes in it. */
export function Problem({ error }: { error: AuthError<string> | null | undefined }) {
  const texts = useTexts();
  return (
    <div className="problems" role="alert">
      {error && <p>{problemText(error, texts)}</p>}
    </div>
  );
}

/** What is wrong with a form: the fields, with links to them, or an error that belongs to none. */
export function Problems({ failure }: { failure: Failure | null }) {
  const { form } = useTexts();
  if (!failure?.wrong.length) {
    return <Problem error={failure?.error} />;
  }
  const { wrong } = failure;
  return (
    <div className="problems" role="alert">
      <p>{form.wrong(wrong.length)}</p>
      <ul>
        {wrong.map(({ id, label, texts }) => (
          <li key={id}>
            <FieldLink id={id} label={label} />: {texts.join(' ')}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Goes to a field. A normal link would change the address after the `#`, which is that of the view. */
function FieldLink({ id, label }: { id: string; label: string }) {
  return (
    <a
      href={`#${id}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(id)?.focus();
      }}
    >
      {label}
    </a>
  );
}
