import type { Writable } from 'node:stream';

/** The standard output. */
export type Output = Writable & { isTTY?: boolean };

/** A bar on a terminal; nothing if a program reads the output. */
export function progressBar(output: Output, unit: string): (done: number, total: number) => void {
  if (!output.isTTY) {
    return () => {};
  }
  let shown = -1;
  return (done, total) => {
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    if (percent === shown) {
      return;
    }
    shown = percent;
    const bar = '#'.repeat(percent / 4).padEnd(25);
    output.write(`\r[${bar}] ${percent}% of ${total} ${unit}${percent === 100 ? '\n' : ''}`);
  };
}
