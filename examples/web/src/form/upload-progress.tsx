import { sizeText } from '../ui/size-text.ts';
import type { Upload } from './use-upload.ts';

/** The progress of an upload, with a button to cancel it. It is not shown for calls without documents. */
export function UploadProgress({ upload: { progress, cancel } }: { upload: Upload }) {
  if (!progress) {
    return null;
  }
  const { sentBytes, totalBytes } = progress;
  const percent = Math.floor((100 * sentBytes) / totalBytes);
  return (
    <div className="upload">
      <progress aria-label="Upload" max={1} value={sentBytes / totalBytes} />
      <span className="progress-text">
        {sentBytes === totalBytes ? 'Sent. Checking…' : `${percent} % of ${sizeText(totalBytes)}`}
      </span>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}
