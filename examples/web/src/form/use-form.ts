import type { AuthError, FieldErrors, Result, UploadOptions } from '@auth-gateway/client';
import { useId, useRef, useState } from 'react';
import { type Upload, useUpload } from './use-upload.ts';

/** What a field gets from its form. */
export interface FieldProps<Value> {
  id: string;
  label: string;
  value: Value;
  /** The gateway's texts about the value. */
  errors: readonly string[];
  onChange(value: Value): void;
}

interface FormOptions<Values, Name extends keyof Values & string, Data> {
  /** The labels of the fields, in their order on the page. */
  labels: { [Field in keyof Values]: string };
  initial: Values;
  /** Makes the call, with these options if it is an upload. An error about the whole `input` has no field. */
  send(values: Values, options: UploadOptions): Promise<Result<Data, Name | 'input'>>;
  /** Called with the data of a successful call. */
  done(data: Data): void;
  /** Called with each error. If it returns true, the form does not show the error. */
  handles?(error: AuthError<string>): boolean;
}

/** An error as the form shows it above its fields. */
export interface Failure {
  error: AuthError<string>;
  /** The wrong fields; empty for an error that belongs to none. */
  wrong: readonly { id: string; label: string; texts: readonly string[] }[];
}

export interface FormState<Values> {
  values: Values;
  failure: Failure | null;
  isSending: boolean;
  upload: Upload;
  /** The properties of one field. */
  field<Name extends keyof Values & string>(name: Name): FieldProps<Values[Name]>;
  submit(): void;
  /** Begins again with these values, by default the initial ones. */
  reset(values?: Values): void;
}

/**
 * The state of a form that makes a call of the client. The gateway has the rules and the texts of the errors: the form checks
 * nothing, and shows each error beside its field. `Form` shows the rest.
 */
export function useForm<Values extends Record<Name, unknown>, Name extends keyof Values & string, Data>(
  options: FormOptions<Values, Name, Data>,
): FormState<Values> {
  const { labels, initial, send, done, handles } = options;
  const id = useId();
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors<string>>({});
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isSending, setSending] = useState(false);
  const isLocked = useRef(false);
  const upload = useUpload();

  const fail = (error: AuthError<string>) => {
    setErrors('fields' in error ? error.fields : {});
    setFailure(failureOf(error, labels, id));
  };

  const submit = async () => {
    if (isLocked.current) {
      return;
    }
    isLocked.current = true;
    setSending(true);
    setFailure(null);
    const call = upload.begin();
    const result = await send(values, call);
    upload.end();
    setSending(false);
    isLocked.current = false;
    if (result.ok) {
      done(result.data);
    } else if (!handles?.(result.error)) {
      fail(result.error);
    }
  };

  return {
    values,
    failure,
    isSending,
    upload,
    field: (name) => ({
      id: `${id}-${name}`,
      label: labels[name],
      value: values[name],
      errors: errors[name] ?? [],
      onChange: (value) => {
        setValues((current) => ({ ...current, [name]: value }));
        // The error was about the former value.
        setErrors((current) => ({ ...current, [name]: [] }));
      },
    }),
    submit: () => void submit(),
    reset: (next = initial) => setValues(next),
  };
}

/** Finds the fields that an error is about, in their order on the page. */
function failureOf(error: AuthError<string>, labels: Record<string, string>, id: string): Failure {
  const fields = 'fields' in error ? error.fields : {};
  const wrong = Object.entries(labels).flatMap(([name, label]) =>
    fields[name]?.length ? [{ id: `${id}-${name}`, label, texts: fields[name] }] : [],
  );
  return { error, wrong };
}
