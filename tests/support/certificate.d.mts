/** A certificate and its key, in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

export function selfSigned(address: string): Certificate;
