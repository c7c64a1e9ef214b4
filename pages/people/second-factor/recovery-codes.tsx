import { useState, useSyncExternalStore } from 'react';
import { dayText, useTexts } from '../language/language.ts';
import { settings } from '../settings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { saveAsFile } from '../ui/save-as-file.ts';
import { Store } from '../ui/store.ts';

const shown = new Store<readonly string[]>([]);

/** Shows new recovery codes above the page, whatever view it shows next: they are never shown again. */
export const showRecoveryCodes = (codes: readonly string[]): void => shown.set(codes);

/** The day here, as ISO 8601 and Swedish write it. */
const today = (): string => new Date().toLocaleDateString('sv');

/** The recovery codes, to copy, to save, and to print. Escape does not close them: they would be lost. */
export function RecoveryCodes() {
  const codes = useSyncExternalStore(shown.subscribe, shown.get);
  const [copy, setCopy] = useState<'copy' | 'copied' | 'notCopied'>('copy');
  const { codes: texts } = useTexts();
  const { name } = settings;
  const [attempts, setAttempts] = useState(0);
  if (codes.length === 0) {
    return null;
  }
  // A sheet of codes without a name is of no use a year later.
  const head = texts.head(name, dayText(today()));
  const text = `${head}\n\n${codes.join('\n')}\n`;
  const fileName = `${texts.fileName}-${name.toLowerCase().replaceAll(' ', '-')}-${today()}.txt`;
  const copyAll = async () => {
    try {
      // Without https there is no clipboard, and the user may refuse it.
      await navigator.clipboard.writeText(text);
      setCopy('copied');
    } catch {
      setCopy('notCopied');
    }
  };
  const keep = () => {
    setCopy('copy');
    shown.set([]);
  };
  return (
    <Dialog key={attempts} title={texts.title} onClose={() => setAttempts(attempts + 1)}>
      <p>{texts.text}</p>
      <p>{head}</p>
      <pre className="codes">{codes.join('\n')}</pre>
      <div className="buttons">
        <button type="button" onClick={copyAll}>
          {texts[copy]}
        </button>
        <button type="button" onClick={() => saveAsFile(text, 'text/plain', fileName)}>
          {texts.save}
        </button>
        <button type="button" onClick={() => window.print()}>
          {texts.print}
        </button>
        <button type="button" className="primary" onClick={keep}>
          {texts.keep}
        </button>
      </div>
    </Dialog>
  );
}
