import type { Progress, UploadOptions } from '@auth-gateway/client';
import { sizeText } from './document-field.ts';
import { button, element } from './element.ts';
import { announce } from './navigation.ts';

/** How an upload proceeds, with a button to cancel it. Calls that send no documents never show it. */
export function uploadProgress() {
  let controller = new AbortController();
  const abort = () => controller.abort();
  const bar = element('progress', { max: '1', value: '0', 'aria-label': 'Upload' });
  const text = element('span', { class: 'progress-text' });
  const cancel = button('Cancel', {}, abort);
  const whole = element('div', { class: 'upload', hidden: true }, bar, text, cancel);
  const show = ({ sentBytes, totalBytes }: Progress) => {
    const isSent = sentBytes === totalBytes;
    // Twice, not at every step: a screen reader would speak of nothing else.
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
    /** Options for a call whose upload is to be shown here. Leaving the view cancels it. */
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
