import { useState, useSyncExternalStore } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { saveAsFile } from '../ui/save-as-file.ts';
import { Store } from '../ui/store.ts';

const shown = new Store<readonly string[]>([]);

/** Shows new recovery codes above the page, whatever view it shows next: they are never shown again. */
export const showRecoveryCodes = (codes: readonly string[]): void => shown.set(codes);

const COPY = { idle: 'Copy', copied: 'Copied', failed: 'Mark the codes to copy them' };

/** The recovery codes, to copy, to save, and to print. Escape does not close them: they would be lost. */
export function RecoveryCodes() {
  const codes = useSyncExternalStore(shown.subscribe, shown.get);
  const [copy, setCopy] = useState<keyof typeof COPY>('idle');
  const [attempts, setAttempts] = useState(0);
  if (codes.length === 0) {
    return null;
  }
  const text = `${codes.join('\n')}\n`;
  const copyAll = async () => {
    try {
      // Without https there is no clipboard, and the user may refuse it.
      await navigator.clipboard.writeText(text);
      setCopy('copied');
    } catch {
      setCopy('failed');
    }
  };
  const keep = () => {
    setCopy('idle');
    shown.set([]);
  };
  return (
    <Dialog key={attempts} title="Your recovery codes" onClose={() => setAttempts(attempts + 1)}>
      <p>
        Each lets you in once if you lose your phone. Keep them where nobody else finds them. They are shown
        only now.
      </p>
      <pre className="codes">{text}</pre>
      <div className="buttons">
        <button type="button" onClick={copyAll}>
          {COPY[copy]}
        </button>
        <button type="button" onClick={() => saveAsFile(text, 'text/plain', 'recovery-codes.txt')}>
          Download
        </button>
        <button type="button" onClick={() => window.print()}>
          Print
        </button>
        <button type="button" className="primary" onClick={keep}>
          I have kept them
        </button>
      </div>
    </Dialog>
  );
}
