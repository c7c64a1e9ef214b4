import { useState, useSyncExternalStore } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { saveAsFile } from '../ui/save-as-file.ts';
import { Store } from '../ui/store.ts';

const shown = new Store<readonly string[]>([]);

/** Shows new recovery codes above the page, whatever view it shows next: they are never shown again. */
export const showRecoveryCodes = (codes: readonly string[]): void => shown.set(codes);

/** The recovery codes, to copy, to save, and to print. */
export function RecoveryCodes() {
  const codes = useSyncExternalStore(shown.subscribe, shown.get);
  const [isCopied, setCopied] = useState(false);
  if (codes.length === 0) {
    return null;
  }
  const text = `${codes.join('\n')}\n`;
  const copy = async () => {
    // Without the permission the user can still mark the text.
    setCopied(
      await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      ),
    );
  };
  const close = () => {
    setCopied(false);
    shown.set([]);
  };
  return (
    <Dialog title="Your recovery codes" onClose={close}>
      <p>
        Each lets you in once if you lose your phone. Keep them where nobody else finds them. They are shown
        only now.
      </p>
      <pre className="codes">{text}</pre>
      <div className="buttons">
        <button type="button" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" onClick={() => saveAsFile(text, 'text/plain', 'recovery-codes.txt')}>
          Download
        </button>
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" className="primary" onClick={close}>
          I have kept them
        </button>
      </div>
    </Dialog>
  );
}
