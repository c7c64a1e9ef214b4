import type { Progress, UploadOptions } from '@auth-gateway/client';
import { sizeText } from './document-field.ts';
import { button, element } from './element.ts';
import { announce } from './navigation.ts';

/** The progress of an upload, with a button to cancel it. It is not shown for calls without documents. */
export function uploadProgress() {
  let controller = new AbortController();
  const abort = () => controller.abort();
  const bar = element('progress', { max: '1', value: '0', 'aria-label': 'Upload' });
  const text = element('span', { class: 'progress-text' });
  const cancel = button('Cancel', {}, abort);
  const whole = element('div', { class: 'upload', hidden: true }, bar, text, cancel);
  const show = ({ sentBytes, totalBytes }: Progress) => {
    const isSent = sentBytes === totalBytes;
    // Only twice, not at every step: otherwise a screen reader would never stop.
    if (whole.hidden) {
      announce('The documents are being sent.');
    }
    if (isSent) {
      announce('Everything is sent and is being checked.');
    }
    whole.hidden = false;
    bar.value = sentBytes / totalBytes;
    const percent = Math.floor((100 * sentBytes) / totalBytes);
    text.textContent = isSent ? 'Sent. Checking…' : `${percent} % of ${sizeText(totalBytes)}`;
  };

  return {
    element: whole,
    /** Options for a call, to show its upload here. It is cancelled if the user leaves the view. */
    begin(): UploadOptions {
      controller = new AbortController();
      addEventListener('hashchange', abort);
      return { onProgress: show, signal: controller.signal };
    },
    end() {
      removeEventListener('hashchange', abort);
      whole.hidden = true;
      announce('');
    },
  };
}
