/** The chosen files, by the path of their variable, such as `variables.input.licenseFile`. */
export type Files = ReadonlyMap<string, File>;

/** The paths of all nulls in the variables. GraphQL multipart requests put files there. */
export function nullPaths(value: unknown, path = 'variables'): string[] {
  if (value === null) {
    return [path];
  }
  if (typeof value !== 'object') {
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]) => nullPaths(inner, `${path}.${key}`));
}

/** The GraphQL multipart request specification: operations, then the map, then the files. */
export function multipartBody(request: object, picked: [string, File][]): FormData {
  const form = new FormData();
  form.append('operations', JSON.stringify(request));
  form.append('map', JSON.stringify(Object.fromEntries(picked.map(([path], index) => [index, [path]]))));
  for (const [index, [, file]] of picked.entries()) {
    form.append(String(index), file);
  }
  return form;
}
