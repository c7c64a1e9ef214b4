/** What a clinic tells people about itself (BRAND_FILE): its pages and mails show it. All texts are one line, and not HTML. */
export interface Brand {
  name: string;
  /** An e-mail address or a telephone number. */
  contact?: string | undefined;
  /** Absolute https addresses. */
  imprint?: string | undefined;
  privacy?: string | undefined;
  /** The accent colour of the pages, `#rrggbb`. */
  accent?: string | undefined;
  /** A PNG. */
  picture?: Buffer | undefined;
}
