/** A storage that forgets all when the page is closed, because variables may contain passwords, and headers tokens. */
export function memoryStorage() {
  // Variables are as long as operations here. GraphiQL gives them a quarter of the height.
  const memory = new Map([['graphiql:secondaryEditorFlex', '1.1']]);
  return {
    get length() {
      return memory.size;
    },
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => void memory.set(key, value),
    removeItem: (key: string) => void memory.delete(key),
    clear: () => memory.clear(),
  };
}
