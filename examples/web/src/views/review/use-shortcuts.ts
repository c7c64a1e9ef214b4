import { useEffect } from 'react';
import { isDialogOpen } from '../../ui/dialog.tsx';
import { areShortcutsOn } from './shortcut-choice.ts';

/** What a key does, by key. */
export type Shortcuts = Record<string, { text: string; act(): void }>;

/**
 * Listens to keys. Keys in a field or a dialog belong there, and combinations to the browser. They can be switched off (WCAG
 * 2.2, 2.1.4): people who speak to their computer would trigger them by mistake.
 * @param showHelp is called by `?`, which is always on
 */
export function useShortcuts(shortcuts: Shortcuts, showHelp: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const help = event.key === '?' ? { act: showHelp } : undefined;
      const shortcut = help ?? (areShortcutsOn() ? shortcuts[event.key] : undefined);
      if (shortcut && !isTaken(event)) {
        event.preventDefault();
        shortcut.act();
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [shortcuts, showHelp]);
}

const isTaken = ({ target, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  repeat ||
  isDialogOpen() ||
  (target instanceof Element && target.closest('input, textarea, select') !== null);
