import { useSyncExternalStore } from 'react';
import type { Texts } from '../language/language.ts';
import { Store } from '../ui/store.ts';

/** Says something in the language of the page. */
export type Say = (texts: Texts) => string;

/** A text above the view. The number tells two equal notices apart: a screen reader reads each of them. */
interface Notice {
  say: Say | undefined;
  number: number;
}

const notice = new Store<Notice>({ say: undefined, number: 0 });

/** Shows a notice instead of the last one. Screen readers read it aloud. Without one, it only removes the last. */
export function announce(say?: Say): void {
  notice.set({ say, number: notice.get().number + 1 });
}

/** The notice that is shown. */
export const useNotice = (): Notice => useSyncExternalStore(notice.subscribe, notice.get);
