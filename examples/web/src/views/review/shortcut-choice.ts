const OFF_KEY = 'shortcuts-off';

/** Whether the user of this browser wants the keys. */
export const areShortcutsOn = (): boolean => localStorage.getItem(OFF_KEY) === null;

/** Remembers the choice. */
export function switchShortcuts(isOn: boolean): void {
  if (isOn) {
    localStorage.removeItem(OFF_KEY);
  } else {
    localStorage.setItem(OFF_KEY, '');
  }
}
