import { useId, useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { areShortcutsOn, switchShortcuts } from './shortcut-choice.ts';
import type { Shortcuts } from './use-shortcuts.ts';

interface Properties {
  shortcuts: Shortcuts;
  onClose(): void;
}

/** Shows all keys, and lets the user switch them off. */
export function ShortcutsDialog({ shortcuts, onClose }: Properties) {
  const keys = [...Object.entries(shortcuts).map(([key, { text }]) => [key, text]), ['?', 'This help']];
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} beginAt=".close">
      <dl className="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Switch />
      <div className="buttons">
        <button type="button" className="close" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Switch() {
  const id = useId();
  const [isOn, setOn] = useState(areShortcutsOn);
  const change = (wanted: boolean) => {
    switchShortcuts(wanted);
    setOn(wanted);
  };
  return (
    <div className="check">
      <input id={id} type="checkbox" checked={isOn} onChange={({ target }) => change(target.checked)} />
      <label htmlFor={id}>Use these keys</label>
    </div>
  );
}
