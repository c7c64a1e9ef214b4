import { exampleFile } from './example-file.ts';

/** The files that the user has chosen, by the path of their variable; null: no file. Undefined: the example, if there is one. */
export type Choices = ReadonlyMap<string, File | null>;

/** The paths of all nulls in the variables, such as `variables.input.licenseFile`. GraphQL multipart requests put files there. */
export function nullPaths(value: unknown, path = 'variables'): string[] {
  if (value === null) {
    return [path];
  }
  if (typeof value !== 'object') {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => nullPaths(inner, `${path}.${key}`));
}

const examples = new Map<string, File>();

/** The file of a variable: the user's choice, else an example for a variable such as `licenseFile`. */
export function fileAt(path: string, choices: Choices): File | null {
  const chosen = choices.get(path);
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (chosen !== undefined || !name.endsWith('File')) {
    return chosen ?? null;
  }
  const example = examples.get(name) ?? exampleFile(name);
  examples.set(name, example);
  return example;
}

/** The files to send with an operation, by the path of their variable. */
export const filesFor = (variables: object, choices: Choices): [string, File][] =>
  nullPaths(variables).flatMap((path) => {
    const file = fileAt(path, choices);
    return file ? [[path, file] as [string, File]] : [];
  });

/** The GraphQL multipart request specification: operations, then the map, then the files. */
export function multipartBody(request: object, files: [string, File][]): FormData {
  const form = new FormData();
  form.append('operations', JSON.stringify(request));
  form.append('map', JSON.stringify(Object.fromEntries(files.map(([path], index) => [index, [path]]))));
  for (const [index, [, file]] of files.entries()) {
    form.append(String(index), file);
  }
  return form;
}
