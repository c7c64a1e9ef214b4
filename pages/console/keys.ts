import { useEffect, useState } from 'react';

const CHOICE = 'auth-gateway console keys';

/**
 * Keys for those who decide about many. They can be switched off (WCAG 2.2, 2.1.4): people who speak to their computer would press them by
 * mistake. Keys in a field or a dialog belong there.
 */
export function useKeys(acts: Readonly<Record<string, () => void>>): {
  areOn: boolean;
  setOn(on: boolean): void;
} {
  const [areOn, setState] = useState(() => localStorage.getItem(CHOICE) !== 'off');
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const act = acts[event.key];
      if (areOn && act && !isTaken(event)) {
        event.preventDefault();
        act();
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [acts, areOn]);
  const setOn = (on: boolean) => {
    localStorage.setItem(CHOICE, on ? 'on' : 'off');
    setState(on);
  };
  return { areOn, setOn };
}

const isTaken = ({ target, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  repeat ||
  document.querySelector('dialog[open]') !== null ||
  (target instanceof Element && target.closest('input, textarea, select') !== null);
