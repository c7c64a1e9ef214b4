import { isDialogOpen, openDialog } from '../../dialog.ts';
import { button, element } from '../../element.ts';
import { checkField } from '../../field.ts';

/** What a key does, by key. */
export type Shortcuts = Record<string, { text: string; act(): void }>;

const OFF_KEY = 'shortcuts-off';
const areOn = (): boolean => localStorage.getItem(OFF_KEY) === null;

/**
 * Listens to keys until the view is left. Keys in a field or a dialog belong there, and combinations to the browser. They can
 * be switched off (WCAG 2.2, 2.1.4): people who speak to their computer would trigger them by mistake.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const listen = (event: KeyboardEvent) => {
    const shortcut = event.key === '?' ? { act: () => showHelp(shortcuts) } : areOn() && shortcuts[event.key];
    if (shortcut && !isTaken(event)) {
      event.preventDefault();
      shortcut.act();
    }
  };
  addEventListener('keydown', listen);
  addEventListener('hashchange', () => removeEventListener('keydown', listen), { once: true });
}

const isTaken = ({ target, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  repeat ||
  isDialogOpen() ||
  (target instanceof Element && target.closest('input, textarea, select') !== null);

/** Shows all keys, and lets the user switch them off. */
export function showHelp(shortcuts: Shortcuts): void {
  openDialog('Keyboard shortcuts', (dialog) => {
    const rows = [...Object.entries(shortcuts), ['?', { text: 'This help' }] as const].map(
      ([key, { text }]) =>
        element('div', {}, element('dt', {}, element('kbd', {}, key)), element('dd', {}, text)),
    );
    const isOn = checkField('Use these keys', areOn());
    isOn.control.addEventListener('change', () => keep(isOn.value));
    const close = button('Close', { autofocus: true }, dialog.close);
    return [
      element('dl', { class: 'keys' }, ...rows),
      isOn.element,
      element('div', { class: 'buttons' }, close),
    ];
  });
}

function keep(isOn: boolean): void {
  if (isOn) {
    localStorage.removeItem(OFF_KEY);
  } else {
    localStorage.setItem(OFF_KEY, '');
  }
}
