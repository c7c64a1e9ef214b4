import { useEffect, useState } from 'react';
import { useObjectUrl } from '../../ui/use-object-url.ts';

/**
 * Loads a PDF for a frame. The gateway sends documents with a sandboxing Content-Security-Policy, in which no browser shows a
 * PDF. A copy in memory, which can be nothing else than a PDF, is shown by the browser's own viewer.
 */
export function usePdf(url: string): { address: string | undefined; hasFailed: boolean } {
  const [copy, setCopy] = useState<Blob>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    let isShown = true;
    // It never fails: without the PDF, it gives nothing.
    void load(url).then((bytes) => {
      // Another doctor may be shown by now.
      if (isShown) {
        setCopy(bytes && new Blob([bytes], { type: 'application/pdf' }));
        setFailed(bytes === undefined);
      }
    });
    return () => {
      isShown = false;
    };
  }, [url]);
  return { address: useObjectUrl(copy), hasFailed };
}

async function load(url: string): Promise<ArrayBuffer | undefined> {
  try {
    const response = await fetch(url);
    return response.ok ? await response.arrayBuffer() : undefined;
  } catch {
    return undefined;
  }
}
