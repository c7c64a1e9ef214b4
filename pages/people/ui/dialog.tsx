import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface Properties {
  title: string;
  /** Called when the user closes it, also with Escape. */
  onClose(): void;
  /** Where the focus begins, as a CSS selector; by default at the first control. */
  beginAt?: string | undefined;
  children: ReactNode;
}

/**
 * A modal dialog. It is open as long as it is rendered. The browser keeps the focus in it, closes it on Escape, and then
 * returns the focus to where it was.
 */
export function Dialog({ title, onClose, beginAt, children }: Properties) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the element leaves the page: afterwards the browser would not return the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    if (beginAt !== undefined) {
      element?.querySelector<HTMLElement>(beginAt)?.focus();
    }
    return () => element?.close();
  }, [beginAt]);
  // The event arrives late. In development React has opened the dialog again by then (StrictMode).
  const closed = () => dialog.current?.open || onClose();
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
