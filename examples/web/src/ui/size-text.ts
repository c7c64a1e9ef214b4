/** For people: `940 bytes`, `84 kB`, `2.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} bytes`;
  }
  if (bytes < 1_000_000) {
    return `${Math.round(bytes / 1000)} kB`;
  }
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
