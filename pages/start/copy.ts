/** How long a button says that it has copied. */
const NOTICE_MILLIS = 2000;

/** Shows a button at each example. Without scripts there is none. */
export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    const example = document.getElementById(button.value);
    if (example) {
      button.hidden = false;
      button.addEventListener('click', () => copy(example, button));
    }
  }
}

async function copy(example: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const label = button.textContent;
  button.textContent = (await write(example)) ? 'Copied' : 'Selected: press Ctrl+C';
  setTimeout(() => {
    button.textContent = label;
  }, NOTICE_MILLIS);
}

/** @returns false if the browser does not let pages copy. The text is then selected for the keyboard */
async function write(example: HTMLElement): Promise<boolean> {
  try {
    // Pages that are not of this machine have no clipboard without TLS (W3C Secure Contexts).
    await navigator.clipboard.writeText(example.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(example);
    return false;
  }
}
