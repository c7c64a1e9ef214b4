import { useSyncExternalStore } from 'react';
import { Store } from '../ui/store.ts';

/** A text above the view. The number tells two equal notices apart: a screen reader reads each of them. */
interface Notice {
  text: string;
  number: number;
}

const notice = new Store<Notice>({ text: '', number: 0 });

/** Shows a notice instead of the last one. Screen readers read it aloud. An empty text removes it. */
export function announce(text: string): void {
  notice.set({ text, number: notice.get().number + 1 });
}

/** The notice that is shown. */
export const useNotice = (): Notice => useSyncExternalStore(notice.subscribe, notice.get);
