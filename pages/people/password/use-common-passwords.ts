import { useEffect, useState } from 'react';

const NONE: ReadonlySet<string> = new Set();

/**
 * The most common passwords of at least eight characters, in lower case. The list is loaded when it is first needed; until
 * then, and if it cannot be loaded, it is empty. The gateway has a longer one.
 */
export function useCommonPasswords(isNeeded: boolean): ReadonlySet<string> {
  const [passwords, setPasswords] = useState(NONE);
  useEffect(() => {
    if (isNeeded) {
      load().then(setPasswords, () => {});
    }
  }, [isNeeded]);
  return passwords;
}

/** vite.config.ts makes the list. */
async function load(): Promise<ReadonlySet<string>> {
  const { commonPasswords } = await import('virtual:common-passwords');
  return new Set(commonPasswords.split(' '));
}
