import type { Progress, UploadOptions } from '@auth-gateway/client';
import { useEffect, useRef, useState } from 'react';
import { announce, type Say } from '../navigation/notice.ts';

/** The upload of a form. */
export interface Upload {
  /** How far it is; null for a call without documents, and when none is under way. */
  progress: Progress | null;
  /** Begins a call. @returns its options, to follow and to cancel it */
  begin(): UploadOptions;
  /** Ends it. */
  end(): void;
  cancel(): void;
}

/** An upload that is under way, and the last notice about it. */
interface Run {
  controller: AbortController;
  said: Say | undefined;
}

/** Follows the uploads of a form. One that is under way is cancelled when the user leaves the view. */
export function useUpload(): Upload {
  const [progress, setProgress] = useState<Progress | null>(null);
  const running = useRef<Run>(null);
  const cancel = () => running.current?.controller.abort();
  useEffect(
    () => () => {
      running.current?.controller.abort();
      running.current = null;
    },
    [],
  );

  return {
    progress,
    begin() {
      const run: Run = { controller: new AbortController(), said: undefined };
      running.current = run;
      const onProgress = (step: Progress) => {
        setProgress(step);
        const say = noticeOf(step);
        // Not at every step: otherwise a screen reader would never stop.
        if (say !== run.said) {
          run.said = say;
          announce(say);
        }
      };
      return { onProgress, signal: run.controller.signal };
    },
    end() {
      // The notice of another view is not ours to remove.
      if (running.current?.said) {
        announce();
      }
      running.current = null;
      setProgress(null);
    },
    cancel,
  };
}

const SENDING: Say = ({ form }) => form.sending;
const CHECKING: Say = ({ form }) => form.checking;

const noticeOf = ({ sentBytes, totalBytes }: Progress): Say =>
  sentBytes === totalBytes ? CHECKING : SENDING;
