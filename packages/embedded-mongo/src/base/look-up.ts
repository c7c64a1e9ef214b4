/** An entry of a table by a name from a client. A name such as "constructor" finds nothing. */
export function lookUp<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
