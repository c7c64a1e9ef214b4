import { useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Shows and hides the password in an input. The caret and the selection stay where they are. */
export function useShownPassword() {
  const input = useRef<HTMLInputElement>(null);
  const selection = useRef<[number | null, number | null]>(null);
  const [isShown, setShown] = useState(false);

  const toggle = () => {
    const { selectionStart = null, selectionEnd = null } = input.current ?? {};
    selection.current = [selectionStart, selectionEnd];
    setShown(!isShown);
  };
  // Browsers put the caret elsewhere when the type of an input changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the type
  useLayoutEffect(() => {
    if (selection.current) {
      input.current?.setSelectionRange(...selection.current);
    }
    selection.current = null;
  }, [isShown]);
  // A password that is sent is hidden: the browser remembers the text of normal fields.
  useEffect(() => {
    const { form } = input.current ?? {};
    const hide = () => setShown(false);
    form?.addEventListener('submit', hide);
    return () => form?.removeEventListener('submit', hide);
  }, []);
  return { input, isShown, toggle };
}
