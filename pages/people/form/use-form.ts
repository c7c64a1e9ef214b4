import type { AuthError, BrokenRule, Result, UploadOptions } from '@auth-gateway/client';
import { useId, useRef, useState } from 'react';
import { useTexts } from '../language/language.ts';
import { type FieldProblem, type FieldProblems, problemsIn, ruleText } from './rule-texts.ts';
import { type Upload, useUpload } from './use-upload.ts';

/** What a field gets from its form. */
export interface FieldProps<Value> {
  id: string;
  label: string;
  value: Value;
  /** What is wrong with the value. */
  errors: readonly string[];
  onChange(value: Value): void;
}

interface FormOptions<Values, Name extends keyof Values & string, Data> {
  /** The labels of the fields, in their order on the page. */
  labels: { [Field in keyof Values]: string };
  initial: Values;
  /** Makes the call, with these options if it is an upload. An error about the whole `input` has no field. */
  send(values: Values, options: UploadOptions): Promise<Result<Data, Name | 'input'>>;
  /** What the gateway would refuse in a field: it is shown at once, and nothing is sent. */
  checks?: { [Field in keyof Values]?: (value: Values[Field]) => BrokenRule | undefined };
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
  /** Takes the errors away, because the form now shows other fields. */
  forget(): void;
}

/**
 * The state of a form that makes a call of the client. The gateway has the rules, and the form shows each broken one beside its
 * field. It checks only what would cost a long upload. `Form` shows the rest.
 */
export function useForm<Values extends Record<Name, unknown>, Name extends keyof Values & string, Data>(
  options: FormOptions<Values, Name, Data>,
): FormState<Values> {
  const { labels, initial, send, done, handles, checks = {} } = options;
  const id = useId();
  const [values, setValues] = useState(initial);
  const texts = useTexts();
  const [problems, setProblems] = useState<FieldProblems>({});
  const [failed, setFailed] = useState<{ error: AuthError<string>; problems: FieldProblems } | null>(null);
  const [isSending, setSending] = useState(false);
  const isLocked = useRef(false);
  const upload = useUpload();

  const fail = (error: AuthError<string>, found = problemsIn(error)) => {
    setProblems(found);
    setFailed({ error, problems: found });
  };
  const forget = () => {
    setProblems({});
    setFailed(null);
  };

  const textsOf = (name: string, found: FieldProblems): string[] =>
    (found[name] ?? []).map((problem) => ruleText(texts, name, problem));

  /** What is wrong with a value, known without an answer of the gateway. */
  const problemsOf = <Field extends keyof Values & string>(
    name: Field,
    value: Values[Field],
  ): FieldProblem[] => {
    const broken = (checks as FormOptions<Values, Name, Data>['checks'])?.[name]?.(value);
    return broken ? [{ broken, text: '' }] : [];
  };

  const submit = async () => {
    if (isLocked.current) {
      return;
    }
    const known = Object.fromEntries(
      (Object.keys(labels) as (keyof Values & string)[])
        .map((name) => [name, problemsOf(name, values[name])] as const)
        .filter(([, found]) => found.length > 0),
    );
    if (Object.keys(known).length > 0) {
      return fail({ code: 'FILE_NOT_READABLE', message: '', fields: {} }, known);
    }
    isLocked.current = true;
    setSending(true);
    setFailed(null);
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
    failure: failed && {
      error: failed.error,
      // In their order on the page.
      wrong: Object.entries<string>(labels).flatMap(([name, label]) =>
        failed.problems[name]?.length
          ? [{ id: `${id}-${name}`, label, texts: textsOf(name, failed.problems) }]
          : [],
      ),
    },
    isSending,
    upload,
    field: (name) => ({
      id: `${id}-${name}`,
      label: labels[name],
      value: values[name],
      errors: textsOf(name, problems),
      onChange: (value) => {
        setValues((current) => ({ ...current, [name]: value }));
        // The error was about the former value.
        setProblems((current) => ({ ...current, [name]: problemsOf(name, value) }));
      },
    }),
    submit: () => void submit(),
    reset: (next = initial) => setValues(next),
    forget,
  };
}
