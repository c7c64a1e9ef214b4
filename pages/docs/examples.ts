/** A field of a form, as Scalar's editor has it. Only such lists are sent as forms. */
interface FormField {
  name: string;
  value: unknown;
  isDisabled: boolean;
}

interface Example {
  value?: unknown;
}

interface Body {
  content?: Record<string, { examples?: Record<string, Example> }>;
}

/** The part of an OpenAPI document that has the examples of requests. */
export interface ExampleDocument {
  paths?: Record<string, Record<string, { requestBody?: Body } | undefined>>;
}

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** Begins the part of an e-mail address that makes it new. */
const newRun = (): string => Date.now().toString(36);

let run = newRun();

/**
 * Gives the people of the examples e-mail addresses that nobody has yet, the same ones everywhere: so the first registration
 * succeeds, and so does the login after it.
 */
export const freshExamples = (document: string): string =>
  document.replaceAll(/\b(pat|sam|ada|bo)@example\.org\b/g, `$1.${run}@example.org`);

/** Makes lists of fields of the examples of forms, with a file for each document. Forms without examples get those of JSON. */
export function fillForms(document: ExampleDocument): void {
  for (const { content = {} } of bodies(document)) {
    const examples = content['application/json']?.examples;
    for (const form of FORMS.flatMap((type) => content[type] ?? [])) {
      const filled = Object.entries(examples ?? form.examples ?? {}).map(([name, example]) => [
        name,
        { ...example, value: fields(example.value) },
      ]);
      form.examples = Object.fromEntries(filled);
    }
  }
}

const fields = (value: unknown): FormField[] =>
  Object.entries(value ?? {}).map(([name, text]) => ({
    name,
    value: name.endsWith('_file') ? pdf(name.replace('_file', '.pdf')) : text,
    isDisabled: false,
  }));

/** A small file that the gateway accepts as a document. */
const pdf = (name: string): File =>
  new File(['%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n'], name, {
    type: 'application/pdf',
  });

/** Gives the examples of registrations new e-mail addresses, after the last ones were taken. */
export function renewRegistrations(document: ExampleDocument): void {
  const last = run;
  run = newRun();
  const renewed = (value: unknown) =>
    typeof value === 'string' ? value.replace(`.${last}@`, `.${run}@`) : value;
  for (const { content = {} } of bodies(document, '/register/')) {
    for (const example of Object.values(content).flatMap(({ examples = {} }) => Object.values(examples))) {
      const { value } = example;
      if (Array.isArray(value)) {
        example.value = value.map((item: FormField) => ({ ...item, value: renewed(item.value) }));
      } else if (typeof value === 'object' && value !== null) {
        example.value = Object.fromEntries(
          Object.entries(value).map(([name, text]) => [name, renewed(text)]),
        );
      } else {
        // What somebody has edited is a text.
        example.value = renewed(value);
      }
    }
  }
}

/** The bodies of the operations whose path contains a text. */
const bodies = ({ paths = {} }: ExampleDocument, part = ''): Body[] =>
  Object.entries(paths)
    .filter(([path]) => path.includes(part))
    .flatMap(([, operations]) => Object.values(operations))
    .flatMap((operation) => operation?.requestBody ?? []);
