import { element } from './element.ts';
import { newId } from './field.ts';

/** A dialog that is open. */
export interface OpenDialog {
  close(): void;
}

/**
 * Opens a modal dialog. The browser keeps the focus in it, closes it on Escape, and then returns the focus to where it was.
 * @param fill makes the content, and gets the dialog to close it
 */
export function openDialog(title: string, fill: (dialog: OpenDialog) => Node[]): void {
  const id = newId();
  const dialog = element('dialog', { 'aria-labelledby': id });
  const close = () => dialog.close();
  dialog.append(element('h2', { id }, title), ...fill({ close }));
  dialog.addEventListener('close', () => {
    removeEventListener('hashchange', close);
    dialog.remove();
  });
  addEventListener('hashchange', close);
  document.querySelector('main')?.append(dialog);
  dialog.showModal();
}

/** Whether a dialog is open. Then the keys belong to it. */
export const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null;
