/**
 * The collection that a command is for, from the driver's events of monitoring.
 * @returns undefined if it is for none, or for several
 */
export function collectionOf(command: Record<string, unknown>, commandName: string): string | undefined {
  if (commandName === 'bulkWrite') {
    return onlyCollection(command.nsInfo);
  }
  // The field with the name of the command holds its target. It is a text only if the target is a collection.
  const target = commandName === 'getMore' ? command.collection : command[commandName];
  return typeof target === 'string' ? target : undefined;
}

/** @param namespaces as `bulkWrite` has them: `[{ ns: 'database.collection' }]` */
function onlyCollection(namespaces: unknown): string | undefined {
  const [first, ...others]: { ns?: unknown }[] = Array.isArray(namespaces) ? namespaces : [];
  return first && others.length === 0 ? /\.(.+)/.exec(String(first.ns))?.[1] : undefined;
}
