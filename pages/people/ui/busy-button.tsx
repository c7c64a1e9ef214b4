import { type ComponentProps, useRef, useState } from 'react';

interface Properties extends Omit<ComponentProps<'button'>, 'onClick' | 'type'> {
  /** Runs once at a time. The button shows that it works. */
  onClick(): Promise<unknown>;
}

/** A button whose act takes a moment. It is not `disabled` meanwhile, because it would lose the focus. */
export function BusyButton({ onClick, ...properties }: Properties) {
  const [isBusy, setBusy] = useState(false);
  const isLocked = useRef(false);
  const run = async () => {
    if (isLocked.current) {
      return;
    }
    isLocked.current = true;
    setBusy(true);
    await onClick().finally(() => {
      isLocked.current = false;
      setBusy(false);
    });
  };
  return (
    <button
      {...properties}
      type="button"
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      onClick={() => void run()}
    />
  );
}
