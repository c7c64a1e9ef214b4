/** For people, in the units of all limits: `940 bytes`, `84 KiB`, `2.4 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) {
    return `${bytes} bytes`;
  }
  const kibibytes = bytes / 1_024;
  return kibibytes < 1_024 ? `${Math.round(kibibytes)} KiB` : `${Number((kibibytes / 1_024).toFixed(1))} MiB`;
}
