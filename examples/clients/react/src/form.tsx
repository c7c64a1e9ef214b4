import type { FieldErrors, Result } from '@auth-gateway/client';
import { useState } from 'react';

interface Props<Text extends string, Document extends string> {
  title: string;
  texts: readonly Text[];
  documents?: readonly Document[];
  send(values: Values<NoInfer<Text>, NoInfer<Document>>): Promise<Result<unknown, NoInfer<Text | Document>>>;
}

type Values<Text extends string, Document extends string> = Record<Text, string> & Record<Document, File>;

/** A form with the fields of an input of the schema. It shows each error at its field. */
export function Form<Text extends string, Document extends string = never>(props: Props<Text, Document>) {
  const { title, texts, documents = [], send } = props;
  const [message, setMessage] = useState('');
  const [errors, setErrors] = useState<FieldErrors<Text | Document>>({});

  async function submit(form: HTMLFormElement) {
    const values = Object.fromEntries(new FormData(form)) as Values<Text, Document>;
    const result = await send(values);
    setMessage(result.ok ? 'Done.' : result.error.message);
    setErrors(!result.ok && 'fields' in result.error ? result.error.fields : {});
  }

  const field = (name: Text | Document, type: string) => (
    <label key={name}>
      {name} <input name={name} type={type} required /> {errors[name]?.join(' ')}
    </label>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <h2>{title}</h2>
      {texts.map((name) => field(name, /password/i.test(name) ? 'password' : 'text'))}
      {documents.map((name) => field(name, 'file'))}
      <button type="submit">{title}</button>
      <p role="status">{message}</p>
    </form>
  );
}
