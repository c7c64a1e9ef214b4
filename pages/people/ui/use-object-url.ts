import { useEffect, useState } from 'react';

/** An address for a file in memory, as long as it is shown. It is undefined until then. */
export function useObjectUrl(content: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!content) {
      return;
    }
    const made = URL.createObjectURL(content);
    setUrl(made);
    // The address keeps the content in memory.
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return url;
}
