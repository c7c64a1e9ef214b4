import { useEffect } from 'react';

/**
 * Gives the focus back when a frame takes it by itself. Chromium's viewer does that when a PDF is damaged, and the keys of the
 * page would go there. A user enters a frame with the pointer over it or with the Tab key.
 */
export function useFocusKeptFromFrames(): void {
  useEffect(() => {
    let last: Element | null = null;
    let isTabbing = false;
    const remember = ({ target }: Event) => {
      last = target instanceof Element ? target : null;
    };
    const noteKey = ({ key }: KeyboardEvent) => {
      isTabbing = key === 'Tab';
    };
    // The window loses the focus to a frame a moment before the document says which one has it.
    const check = () => setTimeout(() => isTabbing || restore(last));
    addEventListener('focusin', remember);
    addEventListener('keydown', noteKey, true);
    addEventListener('blur', check);
    return () => {
      removeEventListener('focusin', remember);
      removeEventListener('keydown', noteKey, true);
      removeEventListener('blur', check);
    };
  }, []);
}

function restore(last: Element | null): void {
  const { activeElement } = document;
  const isTaken = activeElement instanceof HTMLIFrameElement && !activeElement.matches(':hover');
  if (isTaken && last instanceof HTMLElement) {
    last.focus();
  }
}
