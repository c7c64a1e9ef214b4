import { sizeText, useTexts } from '../language/language.ts';
import type { Upload } from './use-upload.ts';

/** The progress of an upload, with a button to cancel it. It is not shown for calls without documents. */
export function UploadProgress({ upload: { progress, cancel } }: { upload: Upload }) {
  const texts = useTexts();
  if (!progress) {
    return null;
  }
  const { sentBytes, totalBytes } = progress;
  const percent = Math.floor((100 * sentBytes) / totalBytes);
  return (
    <div className="upload">
      <progress aria-label={texts.form.upload} max={1} value={sentBytes / totalBytes} />
      <span className="progress-text">
        {sentBytes === totalBytes ? texts.form.sent : texts.form.progress(percent, sizeText(totalBytes))}
      </span>
      <button type="button" onClick={cancel}>
        {texts.cancel}
      </button>
    </div>
  );
}
